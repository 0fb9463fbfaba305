package wire

import (
	"encoding"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/idemgen/idemgen/runtime"
)

// JSON is an answer whose body is a value written by encoding/json, without escaping for HTML and without a newline.
func JSON(status int, mediaType string, header http.Header, body any) (runtime.Response, error) {
	text, err := Marshal(body)
	if err != nil {
		return runtime.Response{}, fmt.Errorf("the answer with status %d cannot be written as JSON: %w", status, err)
	}
	return Bytes(status, mediaType, header, text)
}

// Bytes is an answer with a body that is sent as it is. Content-Type is mediaType unless header holds one already.
func Bytes(status int, mediaType string, header http.Header, body []byte) (runtime.Response, error) {
	if header == nil {
		header = http.Header{}
	}
	if header.Get("Content-Type") == "" && mediaType != "" {
		header.Set("Content-Type", mediaType)
	}
	return runtime.Response{Status: status, Header: header, Body: body}, nil
}

// Empty is an answer without a body.
func Empty(status int, header http.Header) (runtime.Response, error) {
	return runtime.Response{Status: status, Header: header}, nil
}

// SetHeader sets a header to a value in the style simple (OpenAPI 3.1, section 4.8.21): a scalar as it is, a slice
// joined by commas, a map or struct as names and values in turn, or, with explode, as name=value. A nil pointer sets
// nothing. The error names the header, never the value.
func SetHeader(header http.Header, name string, value any, explode bool) error {
	text, set, err := headerText(reflect.ValueOf(value), explode)
	if err != nil {
		return fmt.Errorf("header %s: %w", name, err)
	}
	if !set {
		return nil
	}
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\t' || c == 0x7f {
			return fmt.Errorf("header %s: the value holds a control character", name)
		}
	}
	header.Set(name, text)
	return nil
}

// headerText writes a value; set is false for a nil pointer.
func headerText(v reflect.Value, explode bool) (text string, set bool, err error) {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return "", false, nil
		}
		v = v.Elem()
	}
	if !v.IsValid() {
		return "", false, nil
	}
	switch value := v.Interface().(type) {
	case time.Time:
		return value.Format(time.RFC3339Nano), true, nil
	case json.RawMessage:
		return string(value), true, nil
	case encoding.TextMarshaler:
		b, err := value.MarshalText()
		return string(b), true, err
	}
	switch v.Kind() {
	case reflect.String:
		return v.String(), true, nil
	case reflect.Bool:
		return strconv.FormatBool(v.Bool()), true, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10), true, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.FormatUint(v.Uint(), 10), true, nil
	case reflect.Float32, reflect.Float64:
		text, err := Marshal(v.Interface()) // NaN and infinities are errors
		return string(text), true, err
	case reflect.Slice:
		if v.IsNil() {
			return "", false, nil
		}
		return headerList(v, explode)
	case reflect.Map, reflect.Struct:
		return headerMembers(v, explode)
	default:
		return "", false, fmt.Errorf("a %s cannot be written into a header", v.Kind())
	}
}

func headerList(v reflect.Value, explode bool) (string, bool, error) {
	texts := make([]string, 0, v.Len())
	for i := range v.Len() {
		text, set, err := headerText(v.Index(i), explode)
		if err != nil {
			return "", false, err
		}
		if set {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, ","), true, nil
}

// headerMembers goes through JSON, which knows the members' names and which of them are left out.
func headerMembers(v reflect.Value, explode bool) (string, bool, error) {
	text, err := Marshal(v.Interface())
	if err != nil {
		return "", false, err
	}
	root, problem := parseJSON(string(text))
	if problem != "" || root.kind != object {
		return "", false, fmt.Errorf("the value is not written as an object")
	}
	between := ","
	if explode {
		between = "="
	}
	texts := make([]string, len(root.kids))
	for i := range root.kids {
		kid := &root.kids[i]
		if kid.kind == array || kid.kind == object {
			return "", false, fmt.Errorf("a member is not a single value")
		}
		texts[i] = kid.name + between + kid.text
	}
	return strings.Join(texts, ","), true, nil
}
