package compat

import (
	"encoding/json"
	"fmt"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/idemgen/idemgen/generator/policydoc"
	"github.com/idemgen/idemgen/runtime/policy"
)

// The values of members, as x-idempotency would have them on one line.

func text[T ~string](get func(*policy.Policy) T) func(*policy.Policy) string {
	return func(p *policy.Policy) string { return quoted(string(get(p))) }
}

// word is text that is one of a few words, and needs no quotes.
func word[T ~string](get func(*policy.Policy) T) func(*policy.Policy) string {
	return func(p *policy.Policy) string { return string(get(p)) }
}

func number[T ~int | ~int64](get func(*policy.Policy) T) func(*policy.Policy) string {
	return func(p *policy.Policy) string { return strconv.FormatInt(int64(get(p)), 10) }
}

func yesNo(get func(*policy.Policy) bool) func(*policy.Policy) string {
	return func(p *policy.Policy) string { return strconv.FormatBool(get(p)) }
}

func span(get func(*policy.Policy) policy.Duration) func(*policy.Policy) string {
	return func(p *policy.Policy) string { return duration(get(p)) }
}

func duration(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return policydoc.Duration(d)
}

func names[T ~string](get func(*policy.Policy) []T) func(*policy.Policy) string {
	return func(p *policy.Policy) string { return array(get(p)) }
}

// quoted leaves out the quotes where nothing in the text needs them; empty text is nothing.
func quoted(text string) string {
	if text == "" {
		return ""
	}
	if plain(text) {
		return text
	}
	encoded, err := encode(text)
	if err != nil {
		return strconv.Quote(text)
	}
	return encoded
}

func encode(value any) (string, error) {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return "", fmt.Errorf("cannot write a value: %w", err)
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// plain reports whether YAML reads text as that text, without quotes and within a list.
func plain(text string) bool {
	for i := range len(text) {
		c := text[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '/'
		if !letter && (i == 0 || !(c >= '0' && c <= '9') && !strings.ContainsRune("-.:", rune(c))) {
			return false
		}
	}
	return !strings.HasSuffix(text, ":") && !slices.Contains([]string{"true", "false", "yes", "no", "on", "off", "null", "y", "n"}, strings.ToLower(text))
}

// array writes a list; an empty one is nothing.
func array[T ~string](entries []T) string {
	parts := make([]string, len(entries))
	for i, entry := range entries {
		parts[i] = orEmpty(quoted(string(entry)))
	}
	return list(parts)
}

// list writes entries that are written already; an empty list is nothing.
func list(entries []string) string {
	if len(entries) == 0 {
		return ""
	}
	return "[" + strings.Join(entries, ", ") + "]"
}

// headerSet are headers as a set, in the spelling that net/http has.
func headerSet(list []string) []string {
	set := make([]string, len(list))
	for i, name := range list {
		set[i] = canonicalHeader(name)
	}
	slices.Sort(set)
	return slices.Compact(set)
}

func canonicalHeader(name string) string { return textproto.CanonicalMIMEHeaderKey(name) }

// pairs writes an object; an empty one is nothing.
func pairs(entries []string) string {
	if len(entries) == 0 {
		return ""
	}
	return "{" + strings.Join(entries, ", ") + "}"
}

func headerValues(headers []policy.HeaderValue) string {
	entries := make([]string, len(headers))
	for i, h := range headers {
		entries[i] = canonicalHeader(h.Name) + ": " + orEmpty(quoted(h.Value))
	}
	slices.Sort(entries)
	return pairs(entries)
}

func orEmpty(text string) string {
	if text == "" {
		return `""`
	}
	return text
}

// sets compares two lists as sets.
func sets[T comparable](before, after []T) (added, removed []T) {
	for _, entry := range after {
		if !slices.Contains(before, entry) {
			added = append(added, entry)
		}
	}
	for _, entry := range before {
		if !slices.Contains(after, entry) {
			removed = append(removed, entry)
		}
	}
	return added, removed
}
