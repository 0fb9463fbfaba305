package analyzer_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/doc/comment"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/idemgen/idemgen/analyzer"
	"github.com/idemgen/idemgen/analyzer/internal/report"
)

var update = flag.Bool("update", false, "write the pages of docs/idemvet anew")

const docs = "../docs/idemvet"

// The pages are the analyzers' own text, which the command prints too.
func TestPages(t *testing.T) {
	for _, a := range analyzer.Suite(analyzer.Config{}) {
		file := filepath.Join(docs, path.Base(a.URL))
		if want := "https://github.com/idemgen/idemgen/blob/main/docs/idemvet/" + filepath.Base(file); a.URL != want {
			t.Errorf("%s: URL %s is not below %s", a.Name, a.URL, want)
		}
		compare(t, file, page(t, a))
	}
}

// What a user looks for in a page.
func TestPagesAreWhole(t *testing.T) {
	for _, a := range analyzer.Suite(analyzer.Config{}) {
		for _, section := range []string{"What it reports", "Why", "Before and after", "What it stays silent on", "What it cannot see", "Configuration"} {
			if !strings.Contains(a.Doc, "\n# "+section+"\n") {
				t.Errorf("%s: its page has no section %q", a.Name, section)
			}
		}
		if !strings.Contains(a.Doc, "Since v") {
			t.Errorf("%s: its page does not say since when it is there", a.Name)
		}
		if len(analyzer.CategoriesOf(a)) == 0 {
			t.Errorf("%s: its page lists no categories, in the form \"- id (severity): text\"", a.Name)
		}
	}
}

// A category is shown alone, beside a finding.
func TestCategoriesStandAlone(t *testing.T) {
	for _, a := range analyzer.Suite(analyzer.Config{}) {
		for _, c := range analyzer.CategoriesOf(a) {
			for _, phrase := range []string{"the same ", "the reverse", "such a "} {
				if strings.HasPrefix(c.Text, phrase) {
					t.Errorf("%s: %s begins with %q, which speaks of a line that a viewer does not show", a.Name, c.ID, phrase)
				}
			}
		}
	}
}

// The table of the index is made of the analyzers.
func TestIndex(t *testing.T) {
	file := filepath.Join(docs, "README.md")
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const start, end = "<!-- the analyzers, written by go test ./analyzer -update -->\n", "<!-- end of the analyzers -->"
	before, rest, found := strings.Cut(string(content), start)
	_, after, foundEnd := strings.Cut(rest, end)
	if !found || !foundEnd {
		t.Fatalf("%s has no place for the table", file)
	}
	var table strings.Builder
	table.WriteString("| analyzer | finds | categories |\n|---|---|---|\n")
	for _, a := range analyzer.Suite(analyzer.Config{}) {
		name := path.Base(a.URL)
		title, _, _ := strings.Cut(a.Doc, "\n")
		var categories []string
		for _, c := range report.Categories(a.Doc) {
			var severities []string
			for _, severity := range c.Severities {
				severities = append(severities, string(severity))
			}
			categories = append(categories, fmt.Sprintf("[`%s`](%s#%s) %s", c.ID, name, c.ID, strings.Join(severities, " or ")))
		}
		fmt.Fprintf(&table, "| [%s](%s) | %s | %s |\n", a.Name, name, strings.ReplaceAll(title, "|", `\|`), strings.Join(categories, "<br>"))
	}
	compare(t, file, before+start+table.String()+end+after)
}

func compare(t *testing.T, file, want string) {
	t.Helper()
	got, err := os.ReadFile(file)
	if err == nil && string(got) == want {
		return
	}
	if !*update {
		t.Errorf("%s is not what the analyzers say today; run go test ./analyzer -update", file)
		return
	}
	if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
		t.Fatal(err)
	}
}

// category is a list item that tells of a category, as the Markdown printer writes it.
var category = regexp.MustCompile(`(?m)^( *- )([a-z][a-z0-9-]*) (\([a-z]+)`)

// page is an analyzer's text as Markdown, with a place for each category that diagnostics link to.
func page(t *testing.T, a *analysis.Analyzer) string {
	t.Helper()
	title, text, _ := strings.Cut(a.Doc, "\n")
	printer := &comment.Printer{HeadingLevel: 2, HeadingID: func(*comment.Heading) string { return "" }}
	body := printer.Markdown(new(comment.Parser).Parse(text))
	body = category.ReplaceAll(body, []byte("$1<a id=\"$2\"></a>**`$2`** $3"))
	for _, c := range report.Categories(a.Doc) {
		if !bytes.Contains(body, []byte(`<a id="`+c.ID+`"></a>`)) {
			t.Errorf("%s: the page has no place for category %s", a.Name, c.ID)
		}
	}
	var out strings.Builder
	fmt.Fprintf(&out, "<!-- Written by go test ./analyzer -update from analyzer/%s/doc.go. -->\n\n# %s\n\n%s.\n\n%s\n", strings.TrimSuffix(path.Base(a.URL), ".md"), a.Name, sentence(title), bytes.TrimSpace(body))
	if a.Name != "idemvetdirective" {
		fmt.Fprintf(&out, "\n## Suppression\n\n    //idemvet:ignore %s reason\n\nbehind the line, above it, or above the function. [How directives work](README.md#suppression).\n\n- <a id=\"%s\"></a>**`%s`** (warning): a directive that rules nothing out.\n", a.Name, report.UnusedIgnore, report.UnusedIgnore)
	}
	return out.String()
}

func sentence(title string) string {
	return strings.ToUpper(title[:1]) + strings.TrimSuffix(title[1:], ".")
}

// The settings that the pages and examples show are accepted.
func TestShownSettings(t *testing.T) {
	index, err := os.ReadFile(filepath.Join(docs, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(index), "## Settings")
	_, block, _ = strings.Cut(block, "```yaml\n")
	block, _, found := strings.Cut(block, "```")
	if !found {
		t.Fatal("the index shows no settings")
	}
	shown := filepath.Join(t.TempDir(), analyzer.ConfigFile)
	if err := os.WriteFile(shown, []byte(block), 0o666); err != nil {
		t.Fatal(err)
	}
	members := reflect.TypeFor[analyzer.Config]().NumField()
	for _, file := range []string{shown, filepath.Join("../examples/idemvet", analyzer.ConfigFile)} {
		if _, err := analyzer.ReadConfig(file); err != nil {
			t.Error(err)
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(regexp.MustCompile(`(?m)^[a-z-]+:`).FindAll(content, -1)); got != members {
			t.Errorf("%s shows %d of %d members", file, got, members)
		}
	}
}
