package policydoc

import (
	"html"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// visible is what a reader sees of rendered Markdown.
func visible(t interface{ Fatal(...any) }, markdown string) string {
	text := html.UnescapeString(tag.ReplaceAllString(rendered(t, []byte(markdown)), ""))
	return strings.Join(strings.Fields(text), " ")
}

// A reader sees a spec's text as it is, wherever a template prints it.
func TestMarkdown_ShowsExactlyTheText(t *testing.T) {
	for _, text := range hostile {
		showsExactly(t, text)
	}
	rapid.Check(t, func(t *rapid.T) {
		showsExactly(t, rapid.StringMatching("[-|`<>\\\\{}\\[\\]()*_#~!&;:/.\"'$ 1a=+^@]{0,12}").Draw(t, "text"))
	})
}

func showsExactly(t interface {
	Errorf(string, ...any)
	Fatal(...any)
}, text string) {
	want := oneLine(text)
	if want == "" {
		return // shown as two quotation marks where a value is expected
	}
	for _, printed := range []string{Text(text).String(), Code(text).String()} {
		for place, around := range map[string][2]string{
			"line": {"", ""}, "sentence": {"x ", " y"}, "cell": {"| a | b |\n|---|---|\n| ", " | end |"}, "item": {"- ", ""}, "heading": {"# ", ""},
		} {
			before := visible(t, around[0]+"0"+around[1])
			got := visible(t, around[0]+printed+around[1])
			if expected := strings.Replace(before, "0", want, 1); got != expected {
				t.Errorf("%q in a %s is printed as %q and reads %q", text, place, printed, got)
			}
		}
	}
}

func TestProse_KeepsParagraphsAndCodeSpans(t *testing.T) {
	for text, want := range map[string]string{
		"a\n\nb":            "a\n\nb",
		"one `code` *two*":  "one `code` \\*two\\*",
		"an `open span":     "an \\`open span",
		"`a|b`":             "<code>a&#124;b</code>",
		"\r\n\r\n\r\nx\r\n": "x",
		"":                  "",
	} {
		if got := Prose(text).String(); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestDurations(t *testing.T) {
	const day = 24 * time.Hour
	for _, test := range []struct {
		d          time.Duration
		words, iso string
	}{
		{day, "24 hours", "PT24H"}, {7 * day, "7 days", "P7D"}, {2*day + 3*time.Hour, "2 days 3 hours", "P2DT3H"},
		{time.Hour, "1 hour", "PT1H"}, {90 * time.Minute, "1 hour 30 minutes", "PT1H30M"}, {5 * time.Second, "5 seconds", "PT5S"},
		{1500 * time.Millisecond, "1 second 500 milliseconds", "PT1.5S"}, {time.Hour + time.Second, "1 hour 1 second", "PT1H1S"}, {0, "0 seconds", "PT0S"},
	} {
		if got := inWords(test.d); got != test.words {
			t.Errorf("%v: got %q, want %q", test.d, got, test.words)
		}
		if got := isoDuration(test.d); got != test.iso {
			t.Errorf("%v: got %q, want %q", test.d, got, test.iso)
		}
	}
	for n, want := range map[int64]string{1 << 20: "1 MiB", 64 << 10: "64 KiB", 1000: "1000 bytes", 1536: "1536 bytes", 2 << 30: "2 GiB"} {
		if got := inBytes(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}

func TestLink(t *testing.T) {
	for text, want := range map[string]string{
		"https://a.example/x#y":       "https://a.example/x#y",
		"https://a.example/(x)|`<>\"": "https://a.example/%28x%29%7C%60%3C%3E%22",
		"javascript:alert(1)":         "", "//a.example": "", "a.example": "", "": "", "https://": "", "data:text/html,x": "", "\thttps://a.example\n": "https://a.example",
	} {
		if got := link(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestRelative(t *testing.T) {
	for _, test := range [][3]string{
		{"docs/x.overlay.yaml", "openapi.yaml", "../openapi.yaml"}, {"x.yaml", "openapi.yaml", "openapi.yaml"},
		{"api/docs/x.yaml", "api/spec/openapi.yaml", "../spec/openapi.yaml"}, {"docs/x.yaml", "docs/openapi.yaml", "openapi.yaml"},
		{"x.yaml", "../openapi.yaml", ""}, {"x.yaml", "/srv/openapi.yaml", ""}, {"x.yaml", `C:\x.yaml`, ""}, {"x.yaml", "a b.yaml", "a%20b.yaml"}, {"x.yaml", "", ""},
	} {
		if got := relative(test[0], test[1]); got != test[2] {
			t.Errorf("from %q to %q: got %q, want %q", test[0], test[1], got, test[2])
		}
	}
}
