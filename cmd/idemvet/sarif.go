package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"go/token"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"codeberg.org/chavacava/garif"
	"golang.org/x/tools/go/analysis"

	"github.com/idemgen/idemgen/analyzer"
)

// The models of garif leave out what is empty. A run without findings has to say so all the same (a list that is missing means that nobody looked), and the first rule has the index 0.
type (
	sarifLog struct {
		garif.LogFile
		Runs []sarifRun `json:"runs"`
	}
	sarifRun struct {
		garif.Run
		Results []sarifResult `json:"results"`
	}
	sarifResult struct {
		garif.Result
		RuleIndex int `json:"ruleIndex"`
	}
)

const (
	sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	srcRoot     = "%SRCROOT%"
)

// writeSARIF prints one run. It has no time and no machine's path in it: the same findings give the same bytes.
func writeSARIF(w io.Writer, root string, analyzers []*analysis.Analyzer, findings []finding, problems []string) error {
	s := &sarifWriter{root: root, index: map[string]int{}, lines: map[string][]string{}, seen: map[string]int{}}
	for _, a := range analyzers {
		for _, c := range analyzer.CategoriesOf(a) {
			s.rule(a.Name, c.ID, analyzer.CategoryURL(a, c.ID), level(c.Severity), sentence(c.Text), ruleHelp(a, c))
		}
	}
	invocation := &garif.Invocation{ExecutionSuccessful: len(problems) == 0}
	for _, problem := range problems {
		invocation.ToolExecutionNotifications = append(invocation.ToolExecutionNotifications, &garif.Notification{Level: "error", Message: message(s.relative(problem))})
	}
	run := sarifRun{
		Run: garif.Run{
			Invocations:        []*garif.Invocation{invocation},
			OriginalUriBaseIds: map[string]*garif.ArtifactLocation{srcRoot: {Description: message("the root of the repository")}},
			ColumnKind:         "unicodeCodePoints",
		},
		Results: []sarifResult{},
	}
	for _, f := range findings {
		run.Results = append(run.Results, s.result(f))
	}
	run.Tool = &garif.Tool{Driver: &garif.ToolComponent{Name: "idemvet", InformationUri: "https://github.com/idemgen/idemgen/blob/main/docs/idemvet/README.md", Version: moduleVersion(), Rules: s.rules}}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(sarifLog{LogFile: garif.LogFile{Schema: sarifSchema, Version: "2.1.0"}, Runs: []sarifRun{run}})
}

func message(text string) *garif.Message { return &garif.Message{Text: text} }

// sentence begins with a capital letter, as what stands alone in a viewer should.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// ruleHelp is what a viewer shows beside a finding: what it costs and how it is mended, which the analyzer's page tells.
func ruleHelp(a *analysis.Analyzer, c analyzer.Category) *garif.MultiformatMessageString {
	text := sentence(c.Text) + "\n"
	for _, title := range []string{"Why", "Before and after"} {
		if section := analyzer.Section(a, title); section != "" {
			text += "\n# " + title + "\n\n" + section + "\n"
		}
	}
	url := analyzer.CategoryURL(a, c.ID)
	return &garif.MultiformatMessageString{Text: text + "\nMore: " + url + "\n", Markdown: text + "\n[More about it](" + url + ")\n"}
}

type sarifWriter struct {
	root  string
	rules []*garif.ReportingDescriptor
	index map[string]int
	lines map[string][]string // of files, for columns
	seen  map[string]int      // fingerprints
}

// rule gives the index of a rule, which is an analyzer's category. Those of other analyzers, and of ours that no page tells of, have no text but their name.
func (s *sarifWriter) rule(name, category, url, level, text string, help *garif.MultiformatMessageString) int {
	id := name
	if category != "" && category != name {
		id += "/" + category
	}
	if at, ok := s.index[id]; ok {
		return at
	}
	if text == "" {
		text = id
	}
	described := &garif.MultiformatMessageString{Text: text}
	s.index[id] = len(s.rules)
	s.rules = append(s.rules, &garif.ReportingDescriptor{
		Id: id, ShortDescription: described, FullDescription: described, Help: help, HelpUri: url,
		DefaultConfiguration: &garif.ReportingConfiguration{Enabled: true, Level: level},
		Properties:           &garif.PropertyBag{"tags": []string{"idempotency", name}},
	})
	return s.index[id]
}

func level(severity analyzer.Severity) string {
	switch severity {
	case analyzer.SeverityError:
		return "error"
	case analyzer.SeverityInfo:
		return "note"
	}
	return "warning"
}

// ranks say in SARIF's terms (0 to 100) how sure a finding is.
var ranks = map[analyzer.Confidence]float64{analyzer.Low: 30, analyzer.Medium: 60, analyzer.High: 90}

func (s *sarifWriter) result(f finding) sarifResult {
	at := s.rule(f.analyzer, f.category, f.url, level(f.grade.Severity), "", nil)
	r := garif.Result{
		RuleId: s.rules[at].Id, Level: garif.ResultLevel(level(f.grade.Severity)), Rank: ranks[f.grade.Confidence], Message: message(f.text),
		Locations: []*garif.Location{{PhysicalLocation: s.physical(f.start, f.end)}},
	}
	if f.grade.Confidence != "" {
		bag := garif.PropertyBag{"confidence": f.grade.Confidence}
		r.Properties = &bag
	}
	for i, n := range f.related {
		r.RelatedLocations = append(r.RelatedLocations, &garif.Location{Id: i + 1, PhysicalLocation: s.physical(n.start, n.end), Message: message(n.text)})
	}
	for _, offered := range f.fixes {
		r.Fixes = append(r.Fixes, s.fix(offered))
	}
	r.PartialFingerprints = map[string]string{"idemvet/v1": s.fingerprint(r, f)}
	return sarifResult{r, at}
}

// fingerprint stays the same while the line does, wherever it moves to in its file.
func (s *sarifWriter) fingerprint(r garif.Result, f finding) string {
	key := strings.Join([]string{r.RuleId, r.Locations[0].PhysicalLocation.ArtifactLocation.Uri, strings.TrimSpace(s.line(f.start.Filename, f.start.Line))}, "\x00")
	s.seen[key]++
	sum := sha256.Sum256([]byte(key + strings.Repeat("\x00", s.seen[key])))
	return hex.EncodeToString(sum[:16])
}

func (s *sarifWriter) fix(offered fix) *garif.Fix {
	made := &garif.Fix{Description: message(offered.text)}
	for _, e := range offered.edits {
		replacement := &garif.Replacement{DeletedRegion: s.region(e.start, e.end)}
		if e.text != "" {
			replacement.InsertedContent = &garif.ArtifactContent{Text: e.text}
		}
		last := len(made.ArtifactChanges) - 1
		if artifact := s.artifact(e.start.Filename); last < 0 || made.ArtifactChanges[last].ArtifactLocation.Uri != artifact.Uri {
			made.ArtifactChanges = append(made.ArtifactChanges, &garif.ArtifactChange{ArtifactLocation: artifact})
			last++
		}
		made.ArtifactChanges[last].Replacements = append(made.ArtifactChanges[last].Replacements, replacement)
	}
	return made
}

func (s *sarifWriter) physical(start, end token.Position) *garif.PhysicalLocation {
	region := s.region(start, end)
	if region.EndLine == region.StartLine && region.EndColumn == region.StartColumn {
		region.EndLine, region.EndColumn = 0, 0 // a point, of which a viewer would show nothing; left out, they mean the rest of the line
	}
	return &garif.PhysicalLocation{ArtifactLocation: s.artifact(start.Filename), Region: region}
}

func (s *sarifWriter) region(start, end token.Position) *garif.Region {
	region := &garif.Region{StartLine: max(start.Line, 1), StartColumn: s.column(start)}
	if end.Filename == start.Filename && end.Line >= start.Line {
		region.EndLine, region.EndColumn = max(end.Line, 1), s.column(end)
	}
	return region
}

func (s *sarifWriter) artifact(file string) *garif.ArtifactLocation {
	if rel, ok := within(s.root, file); ok {
		return &garif.ArtifactLocation{Uri: (&url.URL{Path: rel}).EscapedPath(), UriBaseId: srcRoot}
	}
	return &garif.ArtifactLocation{Uri: (&url.URL{Scheme: "file", Path: filepath.ToSlash(file)}).String()}
}

// column turns Go's column, in bytes, into one in code points.
func (s *sarifWriter) column(at token.Position) int {
	if at.Column < 1 {
		return 1
	}
	line := s.line(at.Filename, at.Line)
	return utf8.RuneCountInString(line[:min(at.Column-1, len(line))]) + 1
}

func (s *sarifWriter) line(file string, number int) string {
	lines, ok := s.lines[file]
	if !ok {
		if content, err := os.ReadFile(file); err == nil {
			lines = strings.Split(string(content), "\n")
		}
		s.lines[file] = lines
	}
	if number < 1 || number > len(lines) {
		return ""
	}
	return lines[number-1]
}

// relative takes the machine's path out of a sentence.
func (s *sarifWriter) relative(text string) string {
	return strings.ReplaceAll(text, s.root+string(filepath.Separator), "")
}
