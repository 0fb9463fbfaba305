package extension

import (
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/generator/media"
	"github.com/idemgen/idemgen/runtime/policy"
)

// checkKeyInBody compares a key in a body or a form with the body that the operation takes.
func (c *checker) checkKeyInBody() {
	key := &c.op.Policy.Key
	if key.In != policy.InBody && key.In != policy.InForm {
		return
	}
	fits, needed := media.IsJSON, "JSON"
	if key.In == policy.InForm {
		fits, needed = isForm, "form"
	}
	var fitting, other []policy.Content
	if body := c.op.Shape.Body; body != nil {
		for _, content := range body.Contents {
			if fits(content.MediaType) {
				fitting = append(fitting, content)
			} else {
				other = append(other, content)
			}
		}
	}
	if len(fitting) == 0 {
		c.report(ruleKeyMedia, c.placeMember(), "put the key in a header: `key: {in: header, name: Idempotency-Key}`", "the key is in %s, and %s takes no %s body", describeKey(*key), operationName(c.op), needed)
		return
	}
	for _, content := range other {
		c.report(ruleKeyMediaSome, c.placeMember(), "put the key in a header, which every request can carry", "the key is in %s, and a body of type %s cannot carry it", describeKey(*key), show(content.MediaType))
	}
	for _, content := range fitting {
		c.checkKeySchema(content.Schema)
	}
}

// placeMember is the member that says where the key is.
func (c *checker) placeMember() string {
	if c.op.Policy.Key.In == policy.InBody {
		return "key.pointer"
	}
	return "key.name"
}

func isForm(mediaType string) bool {
	base := baseType(mediaType)
	return base == "application/x-www-form-urlencoded" || base == "multipart/form-data"
}

func (c *checker) checkKeySchema(schema *policy.Schema) {
	key := &c.op.Policy.Key
	tokens := []string{key.Name}
	if key.In == policy.InBody {
		tokens = pointerTokens(key.Pointer)
	}
	found := locate(schema, tokens)
	switch {
	case found.throughArray:
		c.report(ruleBatchKey, c.placeMember(), "name a member of the body itself, or a header", "the key at %s is in the items of a list, and a key identifies the whole request", describeKey(*key))
	case found.free:
	case found.schema == nil:
		c.report(ruleKeyUnknown, c.placeMember(), didYouMean(found.missing, found.known), "the key is in %s, and the schema of %s has no %s", describeKey(*key), operationName(c.op), show(found.missing))
	case found.schema.Kind != policy.String && found.schema.Kind != policy.Any:
		c.report(ruleKeyType, c.placeMember(), "a key is a string", "the key in %s is of type %s", describeKey(*key), found.schema.Kind)
	case key.Required && found.optional && c.declaredOptional():
		// reported as a contradiction between x-idempotency and the declared key already
	case key.Required && found.optional:
		c.report(ruleNullableKey, c.requiredMember(), "make it required in the schema, or write `required: false`", "the key is required, and the schema lets %s be left out", describeKey(*key))
	case key.Required && found.schema.Nullable:
		c.report(ruleNullableKey, c.requiredMember(), "make it a plain string in the schema, or write `required: false`", "the key is required, and the schema lets %s be null", describeKey(*key))
	}
}

// declaredOptional reports whether the key is among the declared ones, as one that can be left out.
func (c *checker) declaredOptional() bool {
	return slices.ContainsFunc(c.op.Declared, func(k policy.DeclaredKey) bool {
		return !k.Key.Required && samePlace(k.Key, c.op.Policy.Key)
	})
}

// requiredMember is key.required where somebody said it, else the member that says where the key is.
func (c *checker) requiredMember() string {
	if origin, ok := c.op.Origins.Find("key.required"); ok && layerOrder[origin.Level] >= layerOrder[policy.LevelDeclared] {
		return "key.required"
	}
	return c.placeMember()
}

// checkPointers looks for the fingerprint's pointers in the body's schemas.
func (c *checker) checkPointers() {
	f := &c.op.Policy.Fingerprint
	c.checkPointerList("fingerprint.include", f.Include, ruleFingerprintUnknown, "the schema of %s has no %s, so that part would never be compared")
	c.checkPointerList("fingerprint.exclude", f.Exclude, ruleFingerprintUnknown.as("warning"), "the schema of %s has no %s, so nothing is left out")
}

func (c *checker) checkPointerList(member string, pointers []string, rule Rule, format string) {
	// A default for the whole document names members that some bodies have and others have not.
	origin, _ := c.op.Origins.Find(member)
	if len(pointers) == 0 || origin.Level == policy.LevelDocument && strings.HasSuffix(member, "exclude") {
		return
	}
	var schemas []*policy.Schema
	if body := c.op.Shape.Body; body != nil {
		for _, content := range body.Contents {
			if media.IsJSON(content.MediaType) {
				schemas = append(schemas, content.Schema)
			}
		}
	}
	if len(schemas) == 0 {
		c.report(rule, member, "pointers choose members of a JSON body", "%s has pointers, and %s takes no JSON body", member, operationName(c.op))
		return
	}
	for i, pointer := range pointers {
		tokens := pointerTokens(pointer)
		if slices.ContainsFunc(schemas, func(s *policy.Schema) bool { found := locate(s, tokens); return found.free || found.schema != nil }) {
			continue
		}
		found := locate(schemas[0], tokens)
		c.report(rule, entry(member, i), didYouMean(found.missing, found.known), format, operationName(c.op), show(pointer))
	}
}

// location is what a pointer leads to in a schema.
type location struct {
	schema *policy.Schema
	// free is true when the pointer leaves what the schema describes: nothing can be said of it.
	free bool
	// optional and throughArray describe the way there.
	optional, throughArray bool
	// missing is the name that the schema lacks, known are those it has at that place.
	missing string
	known   []string
}

// locate follows a pointer's tokens through a schema. The way is as long as the pointer, so cycles do no harm.
func locate(schema *policy.Schema, tokens []string) location {
	at := location{schema: schema}
	for _, token := range tokens {
		if at.schema == nil || at.schema.Kind == policy.Any {
			return location{free: true, throughArray: at.throughArray}
		}
		if at.schema.Nullable {
			at.optional = true
		}
		switch at.schema.Kind {
		case policy.Object:
			if free := at.enter(token); free {
				return location{free: true, throughArray: at.throughArray}
			}
		case policy.Array:
			at.throughArray, at.optional = true, true
			if _, err := strconv.Atoi(token); err != nil {
				return location{missing: token, throughArray: true}
			}
			if at.schema = at.schema.Items; at.schema == nil {
				return location{free: true, throughArray: true}
			}
		default:
			return location{missing: token, throughArray: at.throughArray}
		}
		if at.missing != "" {
			return at
		}
	}
	if at.schema == nil {
		at.free = true
	}
	return at
}

// enter goes on to a member of an object. It reports whether the object says nothing about its members.
func (l *location) enter(token string) (free bool) {
	object := l.schema
	for _, property := range object.Properties {
		if property.Name != token {
			l.known = append(l.known, property.Name)
			continue
		}
		l.optional = l.optional || !property.Required
		l.schema, l.known = property.Schema, nil
		if l.schema == nil {
			l.schema = &policy.Schema{Kind: policy.Any}
		}
		return false
	}
	if len(object.Properties) == 0 || object.Additional != nil {
		return true
	}
	l.schema, l.missing = nil, token
	return false
}
