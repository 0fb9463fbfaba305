package drill

import (
	"crypto/rand"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/idemgen/idemgen/generator/example"
	"github.com/idemgen/idemgen/runtime/policy"
)

// alphabets are what keys are made of, the most telling one first.
var alphabets = []string{
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", "abcdef0123456789", "0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
}

// maxKey is the longest key that is made, and sent to see it refused.
const maxKey = 64 << 10

// newKey mints a random key that the rules allow.
func newKey(rules *policy.Key) (string, error) {
	if text := uuidKey(rules.Format); fits(rules, text) {
		return text, nil
	}
	for _, length := range []int{36, 32, 24, rules.MaxLength, rules.MinLength, 20, 16} {
		for _, alphabet := range alphabets {
			if length > 1024 {
				continue // idemgen's own policies have none; a published one may say anything
			}
			if text := textKey(max(length, 1), alphabet); fits(rules, text) {
				return text, nil
			}
		}
	}
	if rules.MinLength > maxKey {
		return "", fmt.Errorf("no key is made that has %d characters and more", rules.MinLength)
	}
	text, err := example.Key(*rules, 0)
	if err != nil {
		return "", errors.New("no key can be made that fits the policy's rules")
	}
	return scattered(rules, text), nil
}

// longKey mints a key as long as the rules allow, "" where that is none but others are, or more than is sent as a header.
func longKey(rules *policy.Key) string {
	if rules.MaxLength <= 0 || rules.MaxLength > 1024 || rules.Format != "" && rules.Format != policy.AnyFormat {
		return ""
	}
	for _, alphabet := range alphabets {
		if text := textKey(rules.MaxLength, alphabet); fits(rules, text) {
			return text
		}
	}
	return ""
}

// scattered is a key of the form of text, with other characters of the same kinds where the rules allow them, and longer
// where they do, so that no two drills have the same.
func scattered(rules *policy.Key, text string) string {
	for i := range len(text) {
		if other := text[:i] + likeness(text[i]) + text[i+1:]; fits(rules, other) {
			text = other
		}
	}
	for len(text) < 32 && text != "" {
		longer := text + likeness(text[len(text)-1])
		if !fits(rules, longer) {
			break
		}
		text = longer
	}
	return text
}

// likeness is a random character of the same kind.
func likeness(c byte) string {
	for _, kind := range []string{"abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"} {
		if strings.IndexByte(kind, c) >= 0 {
			var random [1]byte
			_, _ = rand.Read(random[:])
			return kind[int(random[0])%len(kind):][:1]
		}
	}
	return string(c)
}

func uuidKey(format policy.Format) string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // crypto/rand never fails
	version := byte(4)
	if v := strings.TrimPrefix(string(format), "uuid"); v == "5" || v == "7" {
		version = v[0] - '0'
	}
	id[6], id[8] = id[6]&0x0f|version<<4, id[8]&0x3f|0x80
	id[0] |= 0xa0 // a letter: keys that differ by case alone can be told apart, and none is a number
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// textKey makes a key of one alphabet, which begins with a letter where that has any.
func textKey(length int, alphabet string) string {
	text := make([]byte, length)
	_, _ = rand.Read(text)
	for i := range text {
		text[i] = alphabet[int(text[i])%len(alphabet)]
	}
	if i := strings.IndexFunc(alphabet, unicode.IsLetter); i >= 0 {
		text[0] = alphabet[i+int(text[0])%6]
	}
	return string(text)
}

// fits reports whether a key is well-formed by the policy's rules. A pattern that Go cannot compile counts as matched.
func fits(rules *policy.Key, text string) bool {
	length := len(text)
	if rules.LengthUnit != policy.Bytes {
		length = utf8.RuneCountInString(text)
	}
	if length < max(1, rules.MinLength) || rules.MaxLength > 0 && length > rules.MaxLength {
		return false
	}
	if rules.Format != "" && rules.Format != policy.AnyFormat {
		version := strings.TrimPrefix(string(rules.Format), "uuid")
		if !uuidForm.MatchString(text) || version != "" && text[14:15] != version {
			return false
		}
	}
	pattern, err := regexp.Compile(rules.Pattern)
	return err != nil || pattern.MatchString(text)
}

var uuidForm = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$`)

// swapCase has capitals for small letters and the reverse.
func swapCase(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, text)
}

// badKey is one of the keys that nobody may take.
type badKey struct {
	name    string
	key     key
	missing bool // it may count as no key at all
}

// badKeys are of no allowed form, whatever the rules on lengths and patterns are. used is a key that was used already, so
// that a server which takes its part of a duplicate does nothing new.
func badKeys(rules *policy.Key, used string) []badKey {
	fresh, err := newKey(rules)
	if err != nil {
		fresh = used + "x"
	}
	switch rules.In {
	case policy.InHeader:
		good := written(rules, used).values[0]
		list := []badKey{
			{"an empty key", key{values: []string{""}}, true},
			{name: "two header lines", key: key{values: []string{good, fresh}}},
			{name: "two keys in one line", key: key{values: []string{good + ", " + fresh}}},
			{name: "a character outside ASCII", key: key{values: []string{strings.TrimSuffix(good, `"`) + "\xc3\xa9" + strings.Repeat(`"`, strings.Count(good, `"`)/2)}}},
			{name: "a control character", key: key{values: []string{good[:len(good)/2] + "\t" + good[len(good)/2:]}}},
		}
		if rules.Syntax == policy.Bare {
			return append(list, badKey{name: "a parameter behind the key", key: key{values: []string{used + ";a=1"}}})
		}
		return append(list,
			badKey{name: "a parameter behind the key", key: key{values: []string{`"` + used + `";a=1`}}},
			badKey{name: "a quotation mark that is not closed", key: key{values: []string{`"` + used}}})
	case policy.InQuery, policy.InForm:
		return []badKey{
			{"an empty key", key{values: []string{""}}, true},
			{name: "two keys", key: key{values: []string{used, fresh}}},
			{name: "a control character", key: key{values: []string{used[:len(used)/2] + "\x01" + used[len(used)/2:]}}},
		}
	default:
		return []badKey{
			{"an empty key", key{raw: `""`}, true},
			{name: "a number", key: key{raw: "4053"}},
			{name: "an object", key: key{raw: `{"key":"` + fresh + `"}`}},
			{name: "a control character", key: key{values: []string{used[:len(used)/2] + "\x01" + used[len(used)/2:]}}},
		}
	}
}
