package media

import (
	"testing"

	"github.com/idemgen/idemgen/runtime/policy"
)

func TestOf(t *testing.T) {
	for mediaType, want := range map[string]Kind{
		"application/json": JSON, "Application/JSON; charset=utf-8": JSON, "application/problem+json": JSON, "text/json": JSON,
		"application/x-www-form-urlencoded": Form, "multipart/form-data; boundary=x": Multipart, "multipart/mixed": Binary,
		"text/plain": Text, "text/*": Text, "application/xml": Binary, "*/*": Binary, "": Binary, ";": Binary, "application/json x": Binary,
	} {
		if got := Of(mediaType); got != want {
			t.Errorf("%q is %v, want %v", mediaType, got, want)
		}
	}
}

func TestIsJSON(t *testing.T) {
	for mediaType, want := range map[string]bool{"application/json": true, "Text/JSON; charset=utf-8": true, "application/problem+json": true, "application/jsonlines": false, "text/plain": false, "": false} {
		if IsJSON(mediaType) != want {
			t.Errorf("%q: %v", mediaType, !want)
		}
	}
}

func TestOfContent(t *testing.T) {
	object, text, free := &policy.Schema{Kind: policy.Object}, &policy.Schema{Kind: policy.String}, &policy.Schema{Kind: policy.Any}
	for _, test := range []struct {
		mediaType string
		schema    *policy.Schema
		want      Kind
	}{
		{"*/*", object, JSON}, {"*/* ; q=1", object, JSON}, {"application/*", object, JSON},
		{"*/*", text, Binary}, {"*/*", free, Binary}, {"*/*", nil, Binary}, {"text/*", object, Text}, {"application/xml", object, Binary},
	} {
		if got := OfContent(&policy.Content{MediaType: test.mediaType, Schema: test.schema}); got != test.want {
			t.Errorf("%s with %v is %v, want %v", test.mediaType, test.schema, got, test.want)
		}
	}
}
