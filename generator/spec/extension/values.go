package extension

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/runtime/policy"
)

// read is how one value is read: it takes the member's name for the message, reports what is wrong and returns false for a
// value that must not be used. The methods and functions below are of that form or return one.
type read[T any] func(r *reader, node *yaml.Node, member string) (T, bool)

// maxText bounds a name, a note or a title from a document, in bytes.
const maxText = 10_000

func (r *reader) text(node *yaml.Node, member string) (string, bool) {
	if node == nil || node.Kind != yaml.ScalarNode {
		r.report(ruleWrongType, node, "write text", "%s is text, not %s", member, describe(node))
		return "", false
	}
	switch node.ShortTag() {
	case "!!str", "!!timestamp":
	case "!!null":
		r.report(ruleWrongType, node, "leave the member out to keep the default", "%s is text, not empty", member)
		return "", false
	default:
		r.report(ruleWrongType, node, "write it in quotes: "+show(node.Value), "%s is text, not %s", member, describe(node))
		return "", false
	}
	if len(node.Value) > maxText || strings.ContainsRune(node.Value, 0) {
		r.report(ruleBadName, node, "shorten it", "%s has more than %d bytes or a NUL character", member, maxText)
		return "", false
	}
	return node.Value, true
}

// line is text for one line: a name, a title, a code.
func (r *reader) line(node *yaml.Node, member string) (string, bool) {
	text, ok := r.text(node, member)
	if !ok {
		return "", false
	}
	if text == "" || strings.ContainsFunc(text, unprintable) {
		r.report(ruleBadName, node, "write it on one line, without control characters", "%s %s is not one line of printable text", member, show(text))
		return "", false
	}
	return text, true
}

// unprintable reports control characters, line separators and the marks that turn the direction of text around.
func unprintable(c rune) bool { return !strconv.IsPrint(c) }

func (r *reader) boolean(node *yaml.Node, member string) (bool, bool) {
	isBool := node != nil && node.Kind == yaml.ScalarNode && node.ShortTag() == "!!bool"
	if !isBool || !strings.EqualFold(node.Value, "true") && !strings.EqualFold(node.Value, "false") {
		r.report(ruleWrongType, node, "write true or false", "%s is true or false, not %s", member, describe(node))
		return false, false
	}
	return strings.EqualFold(node.Value, "true"), true
}

// integer reads a whole number between low and high.
func integer(low, high int) read[int] {
	return func(r *reader, node *yaml.Node, member string) (int, bool) {
		if node == nil || node.Kind != yaml.ScalarNode || node.ShortTag() != "!!int" {
			r.report(ruleWrongType, node, "write a whole number", "%s is a whole number, not %s", member, describe(node))
			return 0, false
		}
		n, err := strconv.Atoi(node.Value)
		if err != nil || n < low || n > high {
			r.report(ruleWrongValue, node, "write a decimal number in that range", "%s is %s and must be between %d and %d", member, showScalar(node), low, high)
			return 0, false
		}
		return n, true
	}
}

// oneOf reads one of a few words.
func oneOf[T ~string](allowed ...T) read[T] {
	return func(r *reader, node *yaml.Node, member string) (T, bool) {
		text, ok := r.text(node, member)
		if !ok {
			return "", false
		}
		if slices.Contains(allowed, T(text)) {
			return T(text), true
		}
		r.report(ruleWrongValue, node, didYouMean(text, words(allowed)), "%s is %s and must be %s", member, show(text), alternatives(words(allowed)))
		return "", false
	}
}

func words[T ~string](list []T) []string {
	texts := make([]string, len(list))
	for i, word := range list {
		texts[i] = string(word)
	}
	return texts
}

// alternatives joins words as a sentence does: a, b or c.
func alternatives(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}

func (r *reader) duration(node *yaml.Node, member string) (policy.Duration, bool) {
	const hint = "write it as ISO 8601 (PT24H, P30D) or as Go does (24h)"
	if node == nil || node.Kind != yaml.ScalarNode || node.ShortTag() != "!!str" {
		r.report(ruleBadDuration, node, hint, "%s is a duration with its unit, not %s", member, describe(node))
		return 0, false
	}
	d, err := parseDuration(node.Value)
	switch {
	case err != nil:
		r.report(ruleBadDuration, node, hint, "%s %s %v", member, show(node.Value), err)
	case d == 0:
		r.report(ruleBadDuration, node, zeroHint(member), "%s %s is zero", member, show(node.Value))
	case d < time.Millisecond:
		r.report(ruleBadDuration, node, hint, "%s %s is shorter than a millisecond", member, show(node.Value))
	default:
		return d, true
	}
	return 0, false
}

func zeroHint(member string) string {
	switch member {
	case "inFlight.maxWait":
		return "write `answer: conflict` for no waiting at all"
	case "key.firstSent.maxSkew":
		return "clocks differ: write how far a client's may be ahead, such as PT1M"
	case "retention":
		return "a record that is not kept protects nothing: write how long clients may retry"
	default:
		return "write a duration above zero, or leave the member out to keep the default"
	}
}

// maxStoredBody is the largest body that a PostgreSQL bytea can hold beside its row.
const maxStoredBody = 1 << 30

func (r *reader) size(node *yaml.Node, member string) (int64, bool) {
	const hint = "write bytes (65536) or a size with a unit (64KiB, 1MiB)"
	if node == nil || node.Kind != yaml.ScalarNode || node.ShortTag() != "!!int" && node.ShortTag() != "!!str" {
		r.report(ruleBadSize, node, hint, "%s is a size, not %s", member, describe(node))
		return 0, false
	}
	n, err := parseSize(node.Value)
	switch {
	case err != nil:
		r.report(ruleBadSize, node, hint, "%s %s %v", member, showScalar(node), err)
	case n == 0:
		r.report(ruleBadSize, node, "write `body: false` to store no bodies", "%s is zero", member)
	case n > maxStoredBody:
		r.report(ruleBadSize, node, "write at most 1GiB", "%s %s is larger than PostgreSQL can store", member, showScalar(node))
	default:
		return n, true
	}
	return 0, false
}

// headerName reads the name of a header that is to be given a meaning here.
func headerName(forbidden map[string]bool, why string) read[string] {
	return func(r *reader, node *yaml.Node, member string) (string, bool) {
		name, ok := r.text(node, member)
		if !ok {
			return "", false
		}
		if !policy.IsToken(name) {
			r.report(ruleBadHeader, node, "header names have letters, digits and hyphens", "%s %s is not a header name", member, show(name))
			return "", false
		}
		if forbidden[canonicalHeader(name)] {
			r.report(ruleHeaderRole, node, "name another header", "%s %s %s", member, show(name), why)
			return "", false
		}
		return name, true
	}
}

func (r *reader) pointer(node *yaml.Node, member string) (string, bool) {
	text, ok := r.text(node, member)
	if !ok {
		return "", false
	}
	if err := checkPointer(text); err != nil {
		r.report(ruleBadPointer, node, "write a JSON Pointer such as /amount or /card/number", "%s %s %v", member, show(text), err)
		return "", false
	}
	return text, true
}

func (r *reader) pattern(node *yaml.Node, member string) (string, bool) {
	text, ok := r.text(node, member)
	if !ok {
		return "", false
	}
	if err := checkPattern(text); err != nil {
		r.report(ruleKeyPattern, node, patternHint(text), "%s does not compile: %v", member, err)
		return "", false
	}
	return text, true
}

// patternHint tells a construct that RE2 lacks from a plain mistake.
func patternHint(pattern string) string {
	if lacksConstruct(pattern) {
		return "rewrite it without that construct; length limits have members of their own"
	}
	return "mend the expression; its syntax is that of https://pkg.go.dev/regexp/syntax"
}

// status reads one status code between low and high.
func status(low, high int) read[int] {
	return func(r *reader, node *yaml.Node, member string) (int, bool) {
		if node == nil || node.Kind != yaml.ScalarNode || node.ShortTag() != "!!int" && node.ShortTag() != "!!str" {
			r.report(ruleBadStatus, node, "write a code such as 409", "%s is a status, not %s", member, describe(node))
			return 0, false
		}
		code, err := strconv.Atoi(node.Value)
		if err != nil || len(node.Value) != 3 || code < low || code > high {
			r.report(ruleBadStatus, node, "write a code such as 409", "%s is %s and must be a status between %d and %d", member, showScalar(node), low, high)
			return 0, false
		}
		return code, true
	}
}

// list reads the entries of a list one by one, remembers where each stands, and refuses an entry that is there twice. An
// empty list takes back what a weaker layer set.
func list[T comparable](entry read[T]) read[[]T] {
	return func(r *reader, node *yaml.Node, member string) ([]T, bool) {
		entries, ok := r.entries(node, member)
		if !ok {
			return nil, false
		}
		var values []T
		var parts []part
		for i, item := range entries {
			pos := r.position(item)
			value, good := entry(r, item, member+"["+strconv.Itoa(i)+"]")
			if !good {
				ok = false
				continue
			}
			if slices.Contains(values, value) {
				r.report(ruleDuplicateEntry, item, "leave one of them out", "%s holds %s twice", member, showScalar(item))
				ok = false
				continue
			}
			parts = append(parts, part{strconv.Itoa(len(values)), pos})
			values = append(values, value)
		}
		r.parts = parts
		return values, ok
	}
}

// filled refuses an empty list, for members that mean nothing when empty.
func filled[T any](values read[[]T], hint string) read[[]T] {
	return func(r *reader, node *yaml.Node, member string) ([]T, bool) {
		if node != nil && node.Kind == yaml.SequenceNode && len(node.Content) == 0 {
			r.report(ruleEmptyList, node, hint, "%s is empty", member)
			return nil, false
		}
		return values(r, node, member)
	}
}

// entries returns the values of a list, aliases resolved.
func (r *reader) entries(node *yaml.Node, member string) ([]*yaml.Node, bool) {
	if node == nil || node.Kind != yaml.SequenceNode {
		r.report(ruleWrongType, node, listHint(node), "%s is a list, not %s", member, describe(node))
		return nil, false
	}
	var entries []*yaml.Node
	for _, item := range node.Content {
		if !r.spend(item) {
			return nil, false
		}
		entries = append(entries, r.resolve(item))
	}
	return entries, true
}

func listHint(node *yaml.Node) string {
	if node != nil && node.Kind == yaml.ScalarNode && plainNumber.MatchString(node.Value) {
		return "write a list: [" + node.Value + "]"
	}
	return "write a list: [a, b]"
}

// examples are objects of the grammar as they are written.
var examples = map[string]string{
	"key":             "write `key: {in: header, name: Idempotency-Key}`",
	"fingerprint":     "write `fingerprint: {body: canonical, include: [/amount]}`",
	"store":           "write `store: {statuses: [2XX, 402]}`",
	"replay":          "write `replay: {header: Idempotent-Replayed}`",
	"inFlight":        "write `inFlight: {answer: wait, maxWait: PT5S}`",
	"key.firstSent":   "write `key: {firstSent: {header: Repeatability-First-Sent, maxSkew: PT5M}}`",
	"answers":         "write `answers: {headers: {Repeatability-Result: accepted}}`",
	"answers.headers": "write `answers: {headers: {Repeatability-Result: accepted}}`",
	"lease":           "write `lease: {duration: PT30S, heartbeat: PT10S}`",
	"errors":          "write `errors: {mismatch: {status: 422}}`",
}

func objectHint(member string) string {
	if example, ok := examples[member]; ok {
		return example
	}
	return "write an object: {member: value}"
}

// objectIn returns the members of a value that has to be an object.
func (r *reader) objectIn(node *yaml.Node, member string) ([]field, bool) {
	if node == nil || node.Kind != yaml.MappingNode {
		r.report(ruleWrongType, node, objectHint(member), "%s is an object, not %s", member, describe(node))
		return nil, false
	}
	return r.object(node), true
}

// unknown reports a member that the grammar lacks, at its own key, with the nearest name that it has.
func (r *reader) unknown(f field, where string, known []string) {
	hint := didYouMean(f.name, known)
	if hint == "" {
		hint = "known are " + strings.Join(known, ", ")
	}
	r.report(ruleUnknownMember, f.key, hint, "%s has no member %s", where, show(f.name))
}
