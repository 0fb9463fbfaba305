package wire

import (
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func formOf(body string) *Reader {
	return readerOf("/", "application/x-www-form-urlencoded", body)
}

func TestForm_Raw(t *testing.T) {
	for _, row := range []struct{ body, want string }{
		{"", `{}`},
		{"a=1&b=two+words", `{"a":"1","b":"two words"}`},
		{"card[number]=4242&card[exp][year]=30", `{"card":{"number":"4242","exp":{"year":"30"}}}`},
		{"items[0][x]=1&items[1][x]=2", `{"items":[{"x":"1"},{"x":"2"}]}`},
		{"items[1]=b&items[0]=a", `{"items":["a","b"]}`},
		{"items[]=a&items[]=b", `{"items":["a","b"]}`},
		{"items=a&items=b", `{"items":["a","b"]}`},
		{"a%5Bb%5D=1", `{"a":{"b":"1"}}`},
		{"[a]=1&b[=2&c]=3&d[x]y=4", `{"[a]":"1","b[":"2","c]":"3","d[x]y":"4"}`},
		{"&&a=1&", `{"a":"1"}`},
		{"a", `{"a":""}`},
	} {
		t.Run(row.body, func(t *testing.T) {
			in := formOf(row.body)
			if got := string(in.Form().Raw()); got != row.want {
				t.Errorf("got %s, want %s", got, row.want)
			}
			wantViolations(t, in)
		})
	}
}

func TestForm_Wrong(t *testing.T) {
	for _, row := range []struct {
		body string
		read func(Value)
		want string
	}{
		{"a=1&a[b]=2", func(v Value) { v.Object().Member("a").Object() }, "#/a must be either a single value or nested, not both"},
		{"a=1&a[0]=2", func(v Value) { List(v.Object().Member("a"), Value.Text) }, "#/a must be either plain values or numbered ones, not both"},
		{"a[0]=1&a[2]=2", func(v Value) { List(v.Object().Member("a"), Value.Text) }, "#/a must number its items from 0 without a gap"},
		{"a[0]=1&a[00]=2", func(v Value) { List(v.Object().Member("a"), Value.Text) }, "#/a must number its items from 0 without a gap"},
		{"a[0]=1&a[]=2", func(v Value) { List(v.Object().Member("a"), Value.Text) }, "#/a must number its items from 0 without a gap"},
		{"a[0]=1&a[0]=2", func(v Value) { List(v.Object().Member("a"), Value.Text) }, "#/a/0 must be given once"},
		{"a[][x]=1", func(v Value) { List(v.Object().Member("a"), Value.Text) }, "#/a must number its items, as in [0], where they are not plain values"},
		{"a[b]=1", func(v Value) { v.Object().Member("a").Text() }, "#/a must be a single value"},
		{"a=x", func(v Value) { v.Object().Member("a").Int64() }, "#/a must be an integer"},
		{"a=True", func(v Value) { v.Object().Member("a").Bool() }, "#/a must be true or false"},
		{"a[%FF]=1", func(Value) {}, "# the form has a field whose name must be UTF-8 text"},
		{"a" + strings.Repeat("[x]", MaxDepth+1) + "=1", func(Value) {}, "# the form has a field that is nested too deep"},
		{strings.Repeat("a=1&", MaxFields+1), func(Value) {}, "# the form holds too many fields"},
		{nestedFields(MaxFields/10 + 1), func(Value) {}, "# the form has too many nested fields"},
		{"a=1&b=2", func(v Value) { o := v.Object(); o.Member("b"); o.Closed() }, "#/a is not a member that is known here"},
	} {
		t.Run(row.body[:min(len(row.body), 20)], func(t *testing.T) {
			in := formOf(row.body)
			row.read(in.Form())
			wantViolations(t, in, row.want)
		})
	}
}

// nestedFields is a form of n fields, each nested ten deep on its own.
func nestedFields(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "a%d%s=1&", i, strings.Repeat("[x]", 10))
	}
	return b.String()
}

func TestForm_LiteralBrackets(t *testing.T) {
	in := formOf("expand[]=a&expand[]=b")
	o := in.Form().Object()
	if got := List(o.Member("expand[]"), Value.Text); !reflect.DeepEqual(got, []string{"a", "b"}) {
		t.Errorf("got %q", got)
	}
	o.Closed()
	wantViolations(t, in)
}

func TestForm_EncodingStyles(t *testing.T) {
	in := formOf("ids=1,2&meta=%7B%22a%22:1%7D&tags=x%20y")
	o := in.Form(Field{"ids", Form}, Field{"meta", JSONText}, Field{"tags", SpaceDelimited}).Object()
	ids := List(o.Member("ids"), Value.Int64)
	meta := Map(o.Member("meta"), Value.Int64)
	tags := List(o.Member("tags"), Value.Text)
	wantViolations(t, in)
	if got := fmt.Sprint(ids, meta, tags); got != "[1 2] map[a:1] [x y]" {
		t.Errorf("got %s", got)
	}
}

func TestForm_EmptyIsNullWhereThatIsAllowed(t *testing.T) {
	in := formOf("due=&ref=")
	o := in.Form().Object()
	if due := OptionalOrNull(o.Member("due"), Value.Time); due != nil {
		t.Errorf("due is %v", due)
	}
	if ref := ReadNullable(o.Member("ref"), Value.Text); !ref.IsNull() {
		t.Errorf("ref is %v", ref)
	}
	wantViolations(t, in)
}

// Whatever the text is, reading it neither panics nor makes what was not sent, and flat fields are what net/url reads.
func FuzzForm(f *testing.F) {
	for _, seed := range []string{"a=1&b=2", "a[b][c]=1&a[]=2", "a[0]=x&a[1]=y", "%5B=%", "a[b=1&]a=2", "a=%ff", "\xf6", "&&=&=x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		in := formOf(text)
		form := in.Form()
		raw := form.Raw()
		if raw != nil && !utf8.Valid(raw) {
			t.Errorf("the form is not UTF-8: %q", raw)
		}
		if _, problem := parseJSON(string(raw)); problem != "" {
			t.Errorf("the form as JSON %s: %q", problem, raw)
		}
		want, err := url.ParseQuery(text)
		if err != nil || strings.ContainsAny(text, ";") {
			return
		}
		for name, values := range want {
			if strings.ContainsAny(name, "[]") || len(values) != 1 || !utf8.ValidString(name) || !utf8.ValidString(values[0]) {
				continue
			}
			in := formOf(text)
			v := in.Form().Object().Member(name)
			if len(v.n.source.branches) > 0 {
				continue
			}
			if got := v.Text(); got != values[0] {
				t.Errorf("%q is %q, want %q", name, got, values[0])
			}
		}
	})
}

// The ways a list can be written, read back, give the list.
func FuzzStyles(f *testing.F) {
	f.Add("a,b", "c|d", "e f")
	f.Add("", "%2C", "+")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		want := []string{a, b, c}
		for i := range want {
			want[i] = strings.ToValidUTF8(want[i], "?")
		}
		for style, delimiter := range map[Style]string{Form: ",", SpaceDelimited: "%20", PipeDelimited: "%7C"} {
			encoded := make([]string, len(want))
			for i, item := range want {
				// What stands for the delimiter cannot be data in these two styles; OpenAPI says so as well.
				if style == SpaceDelimited && strings.Contains(item, " ") || style == PipeDelimited && strings.Contains(item, "|") {
					return
				}
				encoded[i] = url.QueryEscape(item)
			}
			in := readerOf("/", "", "")
			in.request.URL.RawQuery = "x=" + strings.Join(encoded, delimiter)
			if got := List(in.Query("x", style), Value.Text); !reflect.DeepEqual(got, want) {
				t.Errorf("style %d: %q is %q, want %q", style, in.request.URL.RawQuery, got, want)
			}
			wantViolations(t, in)
		}
	})
}
