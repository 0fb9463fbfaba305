package spec

import (
	"encoding/json"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/runtime/policy"
)

// constrain takes over a part's limits, the narrower of two.
func constrain(s *policy.Schema, part *yaml.Node) {
	if format := text(get(part, "format")); format != "" && s.Format == "" {
		s.Format = format
	}
	if s.Kind == policy.String && s.Format == "" {
		s.Format = contentFormat(part)
	}
	constrainEnum(s, part)
	constrainNumber(s, part)
	s.MinLength = larger(s.MinLength, limit(get(part, "minLength")))
	s.MaxLength = smaller(s.MaxLength, limit(get(part, "maxLength")))
	s.MinItems = larger(s.MinItems, limit(get(part, "minItems")))
	s.MaxItems = smaller(s.MaxItems, limit(get(part, "maxItems")))
	s.MinProperties = larger(s.MinProperties, limit(get(part, "minProperties")))
	s.MaxProperties = smaller(s.MaxProperties, limit(get(part, "maxProperties")))
	s.UniqueItems = s.UniqueItems || isTrue(get(part, "uniqueItems"))
	if pattern := get(part, "pattern"); isText(pattern) && s.Pattern == "" {
		s.Pattern = pattern.Value
		_, err := regexp.Compile(pattern.Value)
		s.PatternRE2 = err == nil
	}
}

// contentFormat is JSON Schema's way to say what OpenAPI 3.0 says by the formats byte and binary.
func contentFormat(part *yaml.Node) string {
	switch text(get(part, "contentEncoding")) {
	case "base64":
		return "byte"
	case "":
		if text(get(part, "contentMediaType")) == "application/octet-stream" {
			return "binary"
		}
	}
	return ""
}

func constrainEnum(s *policy.Schema, part *yaml.Node) {
	values := enumOf(part)
	if values == nil {
		return
	}
	own := enumJSON(values, s.Kind)
	if s.Enum == nil {
		s.Enum = own
		return
	}
	s.Enum = slices.DeleteFunc(slices.Clone(s.Enum), func(value json.RawMessage) bool {
		return !slices.ContainsFunc(own, func(other json.RawMessage) bool { return string(other) == string(value) })
	})
}

// enumJSON leaves null out: whether it is allowed is for Nullable to say.
func enumJSON(values []*yaml.Node, kind policy.Kind) []json.RawMessage {
	var list []json.RawMessage
	for _, value := range values {
		if isNull(value) {
			continue
		}
		raw := valueJSON(value, kind)
		if !slices.ContainsFunc(list, func(other json.RawMessage) bool { return string(other) == string(raw) }) {
			list = append(list, raw)
		}
	}
	return list
}
