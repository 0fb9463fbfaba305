package main

import (
	"net/http"
	"os"
	"strings"
	"testing"
)

// echoing is an answer whose headers move the cursor, as far as HTTP lets them.
type echoing struct{ http.ResponseWriter }

func (e echoing) Write(text []byte) (int, error) {
	if len(text) > 0 && text[0] == '{' {
		text = []byte("\x1b[2J\u009b31m\u202e\n::error title=x::y\n" + string(text))
	}
	return e.ResponseWriter.Write(text)
}

func (e echoing) WriteHeader(status int) {
	e.Header().Del("Content-Length")
	e.Header().Set("Retry-After", "\u009b2J")
	e.Header().Set("X-Answer", "\u009b2J")
	e.ResponseWriter.WriteHeader(status)
}

// Whatever a policy and a server say, a terminal is not moved and no annotation is made by them.
func TestDrill_P3_NobodyMovesTheTerminal(t *testing.T) {
	address, file := drilled(t, func(w http.ResponseWriter) http.ResponseWriter { return echoing{w} })
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const escapes = `\u001b[2J\u009b31m\u202e\r\n::error::z\u2028`
	hostile := strings.NewReplacer(
		`"id": "createPayment"`, `"id": "create`+escapes+`"`,
		`"id": "retention"`, `"id": "reten`+escapes+`"`, // idemgen does not know it
		`"id": "key-length"`, `"id": "length`+escapes+`", "why": "because`+escapes+`"`,
		`"text": "However`, `"text": "`+escapes+`However`,
		`"title": "Bank"`, `"title": "Bank`+escapes+`"`,
	).Replace(string(content))
	if err := os.WriteFile(file, []byte(hostile), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"text", "json", "junit", "github"} {
		for _, more := range [][]string{nil, {"--operations", "x"}} {
			code, stdout, stderr := command(t, append([]string{"drill", "--policy", file, "--url", address, "--header", "Authorization: Bearer first-secret", "--format", format}, more...)...)
			if more == nil && code != exitNo {
				t.Errorf("%s: exit code %d\n%s%s", format, code, stdout, stderr)
			}
			for _, r := range []string{"\x1b", "\u009b", "\u202e", "\u2028", "\r"} {
				if i := strings.Index(stdout+stderr, r); i >= 0 {
					t.Errorf("%s: %q is printed: ...%q", format, r, (stdout + stderr)[max(0, i-60):][:90])
				}
			}
			for line := range strings.Lines(stdout + stderr) {
				if strings.HasPrefix(strings.TrimSpace(line), "::") && !strings.HasPrefix(line, "::error title=idemgen drill") {
					t.Errorf("%s: an annotation is made: %q", format, line)
				}
			}
		}
	}
}

// A secret often comes with the line end of the file it was in; what no header can hold is said before anything is sent.
func TestDrill_P3_CredentialsFromTheEnvironment(t *testing.T) {
	address, file := drilled(t, nil)
	for name, c := range map[string]struct {
		value, says string
		code        int
	}{
		"a line end":     {"Bearer line-secret\n", "0 broken", exitDone},
		"two lines":      {"Bearer line-secret\r\nX-Evil: 1", "control characters", exitTrouble},
		"nothing but it": {"\n", "is not set", exitTrouble},
	} {
		var out, errs strings.Builder
		env := func(string) (string, bool) { return c.value, true }
		code := run(t.Context(), []string{"drill", "--policy", file, "--url", address, "--header-env", "Authorization=API_AUTHORIZATION"}, strings.NewReader(""), &out, &errs, env)
		if text := out.String() + errs.String(); code != c.code || !strings.Contains(text, c.says) || strings.Contains(text, "line-secret") {
			t.Errorf("%s: exit code %d, want %d and %q\n%s", name, code, c.code, c.says, text)
		}
	}
	code, stdout, stderr := command(t, "drill", "--policy", file, "--url", address, "--header", "Authorization: line-secret\x01")
	if code != exitTrouble || !strings.Contains(stderr, "control characters") || strings.Contains(stdout+stderr, "line-secret") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}
