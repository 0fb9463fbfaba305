package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Anchors returns the fragment under which each operation's section stands in the published page, in the order of
// d.Operations: "create-payment" for createPayment. A fragment depends on nothing but the operations' ids, so that links
// to it last; ids that differ in punctuation or case only get a hash of the id behind it, all of them.
func (d *Document) Anchors() []string {
	anchors := make([]string, len(d.Operations))
	count := make(map[string]int, len(d.Operations))
	for i := range d.Operations {
		anchors[i] = slug(d.Operations[i].ID)
		count[anchors[i]]++
	}
	for i, anchor := range anchors {
		if count[anchor] > 1 || anchor == "" {
			op := &d.Operations[i]
			sum := sha256.Sum256([]byte(op.ID + "\x00" + op.Method + "\x00" + op.Path))
			anchors[i] = strings.TrimPrefix(anchor+"-"+hex.EncodeToString(sum[:4]), "-")
		}
	}
	return anchors
}

// DocsURLs returns the address of each operation's section in the published page, in the order of d.Operations; empty
// strings where the document names no page.
func (d *Document) DocsURLs() []string {
	urls := make([]string, len(d.Operations))
	if d.DocsURL == "" {
		return urls
	}
	page, _, _ := strings.Cut(d.DocsURL, "#")
	for i, anchor := range d.Anchors() {
		urls[i] = page + "#" + anchor
	}
	return urls
}

// slug writes an id in lower case with hyphens between its words: "createHTTPPayment_v2" is "create-http-payment-v2".
func slug(id string) string {
	var out []byte
	hyphen := func() {
		if len(out) > 0 && out[len(out)-1] != '-' {
			out = append(out, '-')
		}
	}
	for i := range len(id) {
		c := id[i]
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			out = append(out, c)
		case c >= 'A' && c <= 'Z':
			if startsWord(id, i) {
				hyphen()
			}
			out = append(out, c+'a'-'A')
		default:
			hyphen()
		}
	}
	return strings.TrimSuffix(string(out), "-")
}

// startsWord reports whether the capital at i begins a word: it follows a small letter or a digit, or it is the last
// capital before a small letter.
func startsWord(id string, i int) bool {
	if i == 0 {
		return false
	}
	before := id[i-1]
	if before >= 'a' && before <= 'z' || before >= '0' && before <= '9' {
		return true
	}
	return before >= 'A' && before <= 'Z' && i+1 < len(id) && id[i+1] >= 'a' && id[i+1] <= 'z'
}
