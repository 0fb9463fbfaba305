package drill

import (
	"encoding/base64"
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strings"
)

// credentialForms are the texts in which a server can echo a credential: the header's value, what stands in it, the user
// and password of RFC 7617, and each of these as JSON, URLs and HTML write it.
func credentialForms(value string) []string {
	forms := []string{value}
	scheme, rest, ok := strings.Cut(value, " ")
	if ok {
		forms = append(forms, rest)
	}
	if decoded, err := base64.StdEncoding.DecodeString(strings.TrimSpace(rest)); err == nil && strings.EqualFold(scheme, "Basic") {
		_, password, _ := strings.Cut(string(decoded), ":")
		forms = append(forms, string(decoded), password)
	}
	for _, piece := range strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(" \t;,=\"", r) }) {
		if len(piece) >= 8 { // shorter ones are names: token, Bearer
			forms = append(forms, piece)
		}
	}
	for _, plain := range slices.Clone(forms) {
		escaped, _ := json.Marshal(plain) // a string always encodes, in quotation marks
		other := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(plain)
		forms = append(forms, string(escaped[1:len(escaped)-1]), other, url.QueryEscape(plain), url.PathEscape(plain), html.EscapeString(plain))
	}
	return forms
}

// shortened is as much of a text as a sentence needs. What is to be kept out of sight goes first: of a half of it nobody
// would know that it is one.
func (r *runner) shortened(text string) string {
	text = r.masked(text)
	if len(text) > 100 {
		return strings.ToValidUTF8(text[:100], "") + "..."
	}
	return text
}
