package gocode_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
	"unicode"

	"github.com/idemgen/idemgen/generator/gocode"
	"github.com/idemgen/idemgen/generator/output"
	"github.com/idemgen/idemgen/runtime/policy"
)

// hostileTexts try to break out of a comment, a string, a tag, an identifier or a path.
var hostileTexts = []string{
	"*/ func init() { panic(1) } /*",
	"a\nfunc init() { panic(1) }",
	"a\r\nfunc init() { panic(2) }\rfunc init() {}",
	"a\u2028func init() {}\u2029func init() {}\u0085func init() {}",
	"//go:build ignore",
	"+build ignore",
	"go:embed /etc/passwd",
	"\"; func init() {}; \"",
	"`; func init() {}; `",
	"\x00\x01\x7f\xff\xfe",
	"\ufeff\u202egnp.exe\u202c",
	"package", "func", "type", "nil", "string", "error", "int64", "true", "iota", "init", "main", "_", "__",
	"runtime", "wire", "policy", "pgx", "json", "http", "time", "context", "errors", "fmt", "regexp", "models",
	"Handlers", "Register", "serve", "v", "o", "m", "in", "req", "call", "tx", "ctx", "h",
	"", " ", "-", "+1", "-1", "1", "3DS", "!!!", "$", "{}", "}{", "%d%s%!", "日本", "ß", "ǅ", "é", "e\u0301", "URL", "url", "Url", "u-r-l", "u_r_l", "IDs", "ids", "i_ds",
	strings.Repeat("long ", 4000), strings.Repeat("x", 5000),
}

// hostileDocument has every hostile text in every place where a document has text.
func hostileDocument() *policy.Document {
	doc := &policy.Document{Title: strings.Join(hostileTexts[:10], "\n"), DocsURL: "https://example.com/\"`*/\n"}
	all := object("Everything")
	for _, text := range hostileTexts {
		s := object(text, required(text, enumOf(hostileTexts...)), optional(text+"2", &policy.Schema{
			Kind: policy.String, Title: text, Description: text, Pattern: text, PatternRE2: true, Format: text, MinLength: limit(1),
		}), optional(text+"3", &policy.Schema{Kind: policy.Number, Minimum: text, MultipleOf: text, Enum: literals(`"` + text)}))
		s.Description = text
		s.Properties = append(s.Properties, optional("self", s))
		all.Properties = append(all.Properties, optional(text, s))
		doc.Schemas = append(doc.Schemas, s)
	}
	for i, text := range hostileTexts {
		op := keyed(text, "POST", "/"+text, &policy.Shape{
			Parameters: []policy.Parameter{
				{Name: text, In: "path", Required: true, Style: text, Schema: str(), Description: text},
				{Name: text, In: "query", Style: "form", Schema: enumOf(text), Description: text},
				{Name: text, In: "header", Style: "simple", Schema: str()},
				{Name: text, In: "cookie", Style: "form", Schema: str(), MediaType: text},
			},
			Body: &policy.Body{Required: i%2 == 0, Description: text, Contents: []policy.Content{
				{MediaType: "application/json", Schema: all},
				{MediaType: text, Schema: all, Encodings: []policy.Encoding{{Name: text, ContentType: text, Style: text}}},
			}},
			Responses: []policy.Response{
				{Status: "200", Description: text, Contents: []policy.Content{{MediaType: "application/json", Schema: all}, {MediaType: text}},
					Headers: []policy.Parameter{{Name: text, In: "header", Schema: str(), Description: text}}},
				{Status: text, Description: text}, {Status: "default", Description: text},
			},
		})
		op.Path += "/{" + text + "}"
		op.Summary, op.Description, op.Webhook = text, text, i%5 == 4
		op.Policy.Key.Name, op.Policy.Key.Pattern, op.Policy.Errors.Shape = text, text, text
		op.Policy.Scope = append(op.Policy.Scope, policy.ScopePart(text))
		op.Policy.Errors.Mismatch.Type = text
		if i%3 == 0 {
			op.Policy.Mode, op.Policy.Steps, op.Policy.Replay.As = policy.LeaseMode, []string{text, text + "2"}, policy.Current
			op.Policy.Downstream = []policy.Downstream{{Name: text, Step: text, Header: text, Format: policy.Format(text)}}
		}
		op.Policy.Guards = []policy.Guard{{Table: text, Columns: []string{text}, Constraint: text}}
		doc.Operations = append(doc.Operations, op)
	}
	return doc
}

// Nothing of a document becomes anything else than what the generator means it to be.
func TestGenerate_HostileText(t *testing.T) {
	files, list, err := gocode.Generate(hostileDocument(), gocode.Options{Package: "hostile", Dir: "hostile"})
	if err != nil {
		t.Fatal(err)
	}
	if err := list.Err(); err != nil {
		t.Error(err)
	}
	for _, file := range files {
		checkHarmless(t, file)
	}
	build(t, map[string][]output.File{"hostile": files})
}

// checkHarmless looks for what only an escape could have written: initialisers, directives, dots and cgo imports, control
// characters.
func checkHarmless(t *testing.T, file output.File) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file.Path, file.Content, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range parsed.Imports {
		if spec.Name != nil && (spec.Name.Name == "." || spec.Name.Name == "_") || spec.Path.Value == `"C"` || spec.Path.Value == `"unsafe"` {
			t.Errorf("%s imports %s", file.Path, spec.Path.Value)
		}
	}
	for _, decl := range parsed.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && (f.Name.Name == "init" || f.Name.Name == "main") {
			t.Errorf("%s declares %s", file.Path, f.Name.Name)
		}
	}
	for _, group := range parsed.Comments {
		for _, comment := range group.List {
			if !strings.HasPrefix(comment.Text, "// ") && comment.Text != "//" {
				t.Errorf("%s: comment %q", file.Path, comment.Text)
			}
			if strings.HasPrefix(comment.Text, "// +build") {
				t.Errorf("%s: build constraint %q", file.Path, comment.Text)
			}
		}
	}
	for _, r := range string(file.Content) {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' {
			t.Errorf("%s holds the character %U", file.Path, r)
			break
		}
	}
}
