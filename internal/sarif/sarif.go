package sarif

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"codeberg.org/chavacava/garif"
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

// Run is one run of a tool.
type Run struct {
	// Tool and Version name the program, URI is a page about it.
	Tool, Version, URI string
	// Fingerprint names how results are told apart between runs, such as "idemvet/v1".
	Fingerprint string
	// Root is the repository's root: files below it are named from there.
	Root string
	// Rules are those that can be broken. A result of another rule brings one with its name alone.
	Rules   []Rule
	Results []Result
	// Problems are why the tool could not do all of its work.
	Problems []string
}

// Rule is a check.
type Rule struct {
	ID, URL string
	Level   Level
	// Text is one sentence.
	Text string
	// Help is what a viewer shows beside a finding, in both forms; empty for none.
	Help, HelpMarkdown string
	Tags               []string
}

// Level is how much a finding weighs.
type Level string

// The levels.
const (
	Error   Level = "error"
	Warning Level = "warning"
	Note    Level = "note"
)

// Result is a finding.
type Result struct {
	// Rule is its rule's ID; Tags are for a rule that the run does not list.
	Rule  string
	URL   string
	Tags  []string
	Level Level
	// Rank is how sure it is, 0 to 100; Confidence the same in a word. Both may be left out.
	Rank       float64
	Confidence string
	Message    string
	At         Place
	Related    []Related
	Fixes      []Fix
	// Identity tells it from other findings of its rule; empty takes the text of its line.
	Identity string
}

// Place is a range in a file. Lines and columns count from 1, columns in bytes; 0 is unknown.
type Place struct {
	File                             string
	Line, Column, EndLine, EndColumn int
}

// Related is another place that a finding is about.
type Related struct {
	At   Place
	Text string
}

// Fix is a change that mends a finding.
type Fix struct {
	Text  string
	Edits []Edit
}

// Edit replaces what is at a place.
type Edit struct {
	At   Place
	Text string
}

// Write writes a run as a whole log.
func Write(w io.Writer, run Run) error {
	s := &writer{root: run.Root, fingerprint: run.Fingerprint, index: map[string]int{}, lines: map[string][]string{}, seen: map[string]int{}}
	for _, r := range run.Rules {
		s.rule(r)
	}
	invocation := &garif.Invocation{ExecutionSuccessful: len(run.Problems) == 0}
	for _, problem := range run.Problems {
		invocation.ToolExecutionNotifications = append(invocation.ToolExecutionNotifications, &garif.Notification{Level: "error", Message: message(s.relative(problem))})
	}
	out := sarifRun{
		Run: garif.Run{
			Invocations:        []*garif.Invocation{invocation},
			OriginalUriBaseIds: map[string]*garif.ArtifactLocation{srcRoot: {Description: message("the root of the repository")}},
			ColumnKind:         "unicodeCodePoints",
		},
		Results: []sarifResult{},
	}
	for _, r := range run.Results {
		out.Results = append(out.Results, s.result(r))
	}
	out.Tool = &garif.Tool{Driver: &garif.ToolComponent{Name: run.Tool, InformationUri: run.URI, Version: run.Version, Rules: s.rules}}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(sarifLog{LogFile: garif.LogFile{Schema: sarifSchema, Version: "2.1.0"}, Runs: []sarifRun{out}})
}

func message(text string) *garif.Message { return &garif.Message{Text: text} }

type writer struct {
	root, fingerprint string
	rules             []*garif.ReportingDescriptor
	index             map[string]int
	lines             map[string][]string // of files, for columns
	seen              map[string]int      // fingerprints
}

// rule gives the index of a rule, and enters it where it is new. One without a text has its name for it.
func (s *writer) rule(r Rule) int {
	if at, ok := s.index[r.ID]; ok {
		return at
	}
	text := r.Text
	if text == "" {
		text = r.ID
	}
	var help *garif.MultiformatMessageString
	if r.Help != "" {
		help = &garif.MultiformatMessageString{Text: r.Help, Markdown: r.HelpMarkdown}
	}
	described := &garif.MultiformatMessageString{Text: text}
	s.index[r.ID] = len(s.rules)
	s.rules = append(s.rules, &garif.ReportingDescriptor{
		Id: r.ID, ShortDescription: described, FullDescription: described, Help: help, HelpUri: r.URL,
		DefaultConfiguration: &garif.ReportingConfiguration{Enabled: true, Level: string(r.Level)},
		Properties:           &garif.PropertyBag{"tags": r.Tags},
	})
	return s.index[r.ID]
}

func (s *writer) result(f Result) sarifResult {
	at := s.rule(Rule{ID: f.Rule, URL: f.URL, Level: f.Level, Tags: f.Tags})
	r := garif.Result{
		RuleId: f.Rule, Level: garif.ResultLevel(string(f.Level)), Rank: f.Rank, Message: message(f.Message),
		Locations: []*garif.Location{{PhysicalLocation: s.physical(f.At)}},
	}
	if f.Confidence != "" {
		bag := garif.PropertyBag{"confidence": f.Confidence}
		r.Properties = &bag
	}
	for i, n := range f.Related {
		r.RelatedLocations = append(r.RelatedLocations, &garif.Location{Id: i + 1, PhysicalLocation: s.physical(n.At), Message: message(n.Text)})
	}
	for _, offered := range f.Fixes {
		r.Fixes = append(r.Fixes, s.fix(offered))
	}
	r.PartialFingerprints = map[string]string{s.fingerprint: s.fingerprintOf(r, f)}
	return sarifResult{r, at}
}

// fingerprintOf stays the same while the line does, wherever it moves to in its file.
func (s *writer) fingerprintOf(r garif.Result, f Result) string {
	identity := f.Identity
	if identity == "" {
		identity = strings.TrimSpace(s.line(f.At.File, f.At.Line))
	}
	key := strings.Join([]string{r.RuleId, r.Locations[0].PhysicalLocation.ArtifactLocation.Uri, identity}, "\x00")
	s.seen[key]++
	sum := sha256.Sum256([]byte(key + strings.Repeat("\x00", s.seen[key])))
	return hex.EncodeToString(sum[:16])
}

func (s *writer) fix(offered Fix) *garif.Fix {
	made := &garif.Fix{Description: message(offered.Text)}
	for _, e := range offered.Edits {
		replacement := &garif.Replacement{DeletedRegion: s.region(e.At)}
		if e.Text != "" {
			replacement.InsertedContent = &garif.ArtifactContent{Text: e.Text}
		}
		last := len(made.ArtifactChanges) - 1
		if artifact := s.artifact(e.At.File); last < 0 || made.ArtifactChanges[last].ArtifactLocation.Uri != artifact.Uri {
			made.ArtifactChanges = append(made.ArtifactChanges, &garif.ArtifactChange{ArtifactLocation: artifact})
			last++
		}
		made.ArtifactChanges[last].Replacements = append(made.ArtifactChanges[last].Replacements, replacement)
	}
	return made
}

func (s *writer) physical(at Place) *garif.PhysicalLocation {
	region := s.region(at)
	if region.EndLine == region.StartLine && region.EndColumn == region.StartColumn {
		region.EndLine, region.EndColumn = 0, 0 // a point, of which a viewer would show nothing; left out, they mean the rest of the line
	}
	return &garif.PhysicalLocation{ArtifactLocation: s.artifact(at.File), Region: region}
}

func (s *writer) region(at Place) *garif.Region {
	region := &garif.Region{StartLine: max(at.Line, 1), StartColumn: s.column(at.File, at.Line, at.Column)}
	if at.EndLine > 0 && at.EndLine >= at.Line {
		region.EndLine, region.EndColumn = at.EndLine, s.column(at.File, at.EndLine, at.EndColumn)
	}
	return region
}

func (s *writer) artifact(file string) *garif.ArtifactLocation {
	if rel, ok := Within(s.root, file); ok {
		return &garif.ArtifactLocation{Uri: (&url.URL{Path: rel}).EscapedPath(), UriBaseId: srcRoot}
	}
	return &garif.ArtifactLocation{Uri: (&url.URL{Scheme: "file", Path: filepath.ToSlash(file)}).String()}
}

// column turns a column in bytes into one in code points.
func (s *writer) column(file string, number, column int) int {
	if column < 1 {
		return 1
	}
	line := s.line(file, number)
	return utf8.RuneCountInString(line[:min(column-1, len(line))]) + 1
}

func (s *writer) line(file string, number int) string {
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
func (s *writer) relative(text string) string {
	return strings.ReplaceAll(text, s.root+string(filepath.Separator), "")
}

// Within is file as seen from root, with slashes; ok is false where it is not below it.
func Within(root, file string) (rel string, ok bool) {
	rel, err := filepath.Rel(root, file)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}
