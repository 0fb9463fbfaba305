package spec

import (
	"context"
	"errors"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/runtime/policy"
)

// finding is what kin-openapi says about one node.
type finding struct {
	node    *yaml.Node
	rule    string
	message string
}

// startValidation has kin-openapi judge the keyed operations, or with Strict the whole document, while the schemas are
// being converted: it is by far the slowest step. The result is to be waited for.
func (l *loading) startValidation(operations []*operation) <-chan []finding {
	result := make(chan []finding, 1)
	b := newBundle(l.refs, !l.options.Strict)
	if l.options.Strict {
		b.whole(l.root)
	} else {
		var keyed []*operation
		for _, op := range operations {
			if op.out.Decision == policy.Keyed {
				keyed = append(keyed, op)
			}
		}
		if len(keyed) == 0 {
			result <- nil
			return result
		}
		b.operations(l.root, keyed)
	}
	switch {
	case b.tooMuch:
		result <- []finding{{node: l.root, rule: ruleOpenAPI + "unchecked", message: "the document could not be checked against OpenAPI's rules: its references expand to too much"}}
		return result
	case b.broken:
		result <- nil
		return result
	}
	strict := l.options.Strict
	go func() { result <- judge(b.out, b.line, strict) }()
	return result
}

func (l *loading) report(findings []finding) {
	for _, f := range findings {
		l.rep.problem(f.node, f.rule, "", "%s", f.message)
	}
}

// judge loads and validates a document. Patterns are not its affair: whether Go can compile one is said where it is used.
func judge(document []byte, lines []*yaml.Node, strict bool) (found []finding) {
	defer func() {
		// A hostile document may find a panic in a library. It must not take the process down, nor pass in silence.
		if r := recover(); r != nil {
			found = append(found, finding{rule: ruleOpenAPI + "unchecked", message: "the document could not be checked against OpenAPI's rules"})
		}
	}()
	loader := openapi3.NewLoader()
	loader.IncludeOrigin = true
	doc, err := loader.LoadFromData(document)
	if err == nil {
		options := []openapi3.ValidationOption{openapi3.EnableMultiError(), openapi3.DisableSchemaPatternValidation()}
		if !strict {
			options = append(options, openapi3.DisableExamplesValidation())
		}
		err = doc.Validate(context.Background(), options...)
	}
	for _, each := range leaves(err) {
		if !strict && ours[code(each)] {
			continue
		}
		f := finding{rule: ruleOpenAPI + code(each), message: summary(each)}
		line := lineOf(each)
		if line > 0 && line < len(lines) {
			f.node = lines[line]
		}
		found = append(found, f)
	}
	return found
}

// ours are kin-openapi's rules that this package has itself for keyed operations, with a better place to show.
var ours = map[string]bool{"duplicate-operation-id": true, "path-parameters-mismatch": true}

func leaves(err error) []error {
	if err == nil {
		return nil
	}
	if many, ok := err.(openapi3.MultiError); ok { //nolint:errorlint // each level is looked at by itself
		var list []error
		for _, one := range many {
			list = append(list, leaves(one)...)
		}
		return list
	}
	return []error{err}
}

// code is kin-openapi's stable name of a rule.
func code(err error) string {
	var coded openapi3.CodedError
	if errors.As(err, &coded) {
		return coded.Code()
	}
	return "invalid"
}

// loadLine is how the loader, unlike the validator, names a line.
var loadLine = regexp.MustCompile(`\bline (\d+)`)

// lineOf is the line of the copy that an error is about, 0 when unknown. The origins are fields of some thirty error
// types that have no interface in common; of an error within an error the inner one is nearer.
func lineOf(err error) int {
	line := 0
	for e := err; e != nil; e = errors.Unwrap(e) {
		value := reflect.Indirect(reflect.ValueOf(e))
		if value.Kind() != reflect.Struct {
			continue
		}
		field := value.FieldByName("Origin")
		if !field.IsValid() || !field.CanInterface() {
			continue
		}
		if origin, ok := field.Interface().(*openapi3.Origin); ok && origin != nil && origin.Key != nil {
			line = origin.Key.Line
		}
	}
	if line == 0 {
		if match := loadLine.FindStringSubmatch(err.Error()); match != nil {
			line, _ = strconv.Atoi(match[1])
		}
	}
	return line
}

// wrongType is how a JSON decoder says that a member has not the type that OpenAPI gives it.
var wrongType = regexp.MustCompile(`cannot unmarshal (\w+)( \S+)? into field (?:\w+\.)*([\w$]+) of type`)

// loadFailure is how the loader says that neither of its two decoders can read the copy; the first one's word is enough.
var loadFailure = regexp.MustCompile(`^failed to unmarshal data: json error: (?:json: )?(.*), yaml error: `)

// summary is an error's text on one line, without the place, which the finding has, and without the dumps of schemas and
// values that some errors end in.
func summary(err error) string {
	inner := err
	for e := err; e != nil; e = errors.Unwrap(e) {
		switch e.(type) { //nolint:errorlint // each level is looked at by itself
		case *openapi3.SectionValidationError, *openapi3.PathValidationError, *openapi3.OperationValidationError,
			*openapi3.ComponentValidationError, *openapi3.WebhookValidationError, *openapi3.SchemaCombinatorElementValidationError:
			if next := errors.Unwrap(e); next != nil {
				inner = next
			}
		}
	}
	message, _, _ := strings.Cut(inner.Error(), "\n")
	if match := loadFailure.FindStringSubmatch(message); match != nil {
		message = match[1]
	}
	if match := wrongType.FindStringSubmatch(message); match != nil {
		message = match[3] + " cannot be " + article(policy.Kind(match[1])) // of a string the decoder does not show the text
		if match[2] != "" {
			message = match[3] + " cannot be the " + match[1] + match[2]
		}
	}
	message = strings.TrimSuffix(strings.TrimSpace(message), ".")
	const most = 200
	if len(message) > most {
		message = message[:most] + "..."
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) && r != utf8.RuneError {
			return r
		}
		return -1
	}, message)
}
