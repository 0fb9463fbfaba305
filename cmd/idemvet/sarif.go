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
	"unicode/utf8"

	"golang.org/x/tools/go/analysis"

	"github.com/idemgen/idemgen/analyzer"
)

// The part of SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/) that a report of ours needs. The known Go libraries for it bring a JSON Schema engine into every binary.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool                `json:"tool"`
		Invocations []sarifInvocation        `json:"invocations"`
		BaseIDs     map[string]sarifArtifact `json:"originalUriBaseIds"`
		ColumnKind  string                   `json:"columnKind"`
		Results     []sarifResult            `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		InformationURI string      `json:"informationUri"`
		Version        string      `json:"version"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string         `json:"id"`
		Short   sarifMessage   `json:"shortDescription"`
		HelpURI string         `json:"helpUri,omitempty"`
		Default sarifDefault   `json:"defaultConfiguration"`
		Extra   map[string]any `json:"properties,omitempty"`
	}
	sarifDefault struct {
		Level string `json:"level"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string       `json:"level"`
		Message sarifMessage `json:"message"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Rank         float64           `json:"rank,omitempty"`
		Message      sarifMessage      `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Related      []sarifLocation   `json:"relatedLocations,omitempty"`
		Fixes        []sarifFix        `json:"fixes,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Extra        map[string]any    `json:"properties,omitempty"`
	}
	sarifLocation struct {
		ID       int           `json:"id,omitempty"`
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifMessage `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI         string        `json:"uri,omitempty"`
		BaseID      string        `json:"uriBaseId,omitempty"`
		Description *sarifMessage `json:"description,omitempty"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
		EndLine     int `json:"endLine,omitempty"`
		EndColumn   int `json:"endColumn,omitempty"`
	}
	sarifFix struct {
		Description sarifMessage  `json:"description"`
		Changes     []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		Artifact     sarifArtifact      `json:"artifactLocation"`
		Replacements []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		Deleted  sarifRegion   `json:"deletedRegion"`
		Inserted *sarifMessage `json:"insertedContent,omitempty"`
	}
)

const (
	sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	srcRoot     = "%SRCROOT%"
)

// writeSARIF prints one run. It has no time and no machine's path in it: the same findings give the same bytes.
func writeSARIF(w io.Writer, root string, analyzers []*analysis.Analyzer, findings []finding, problems []string) error {
	s := &sarifWriter{root: root, index: map[string]int{}, lines: map[string][]string{}}
	for _, a := range analyzers {
		for _, c := range analyzer.CategoriesOf(a) {
			s.rule(a.Name, c.ID, c.Text, analyzer.CategoryURL(a, c.ID), level(c.Severity))
		}
	}
	run := sarifRun{
		Invocations: []sarifInvocation{{Successful: len(problems) == 0}},
		BaseIDs:     map[string]sarifArtifact{srcRoot: {Description: &sarifMessage{"the root of the repository"}}},
		ColumnKind:  "unicodeCodePoints",
		Results:     []sarifResult{},
	}
	for _, problem := range problems {
		run.Invocations[0].Notifications = append(run.Invocations[0].Notifications, sarifNotification{"error", sarifMessage{s.relative(problem)}})
	}
	for _, f := range findings {
		run.Results = append(run.Results, s.result(f))
	}
	run.Tool.Driver = sarifDriver{Name: "idemvet", InformationURI: "https://github.com/idemgen/idemgen/blob/main/docs/idemvet/README.md", Version: moduleVersion(), Rules: s.rules}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}})
}

type sarifWriter struct {
	root  string
	rules []sarifRule
	index map[string]int
	lines map[string][]string // of files, for columns
	seen  map[string]int
}

// rule gives the index of a rule, which is an analyzer's category.
func (s *sarifWriter) rule(name, category, text, url, level string) int {
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
	rule := sarifRule{ID: id, Short: sarifMessage{text}, HelpURI: url, Default: sarifDefault{level}, Extra: map[string]any{"tags": []string{"idempotency", name}}}
	s.index[id] = len(s.rules)
	s.rules = append(s.rules, rule)
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
	at := s.rule(f.analyzer, f.category, "", f.url, level(f.grade.Severity))
	r := sarifResult{
		RuleID: s.rules[at].ID, RuleIndex: at, Level: level(f.grade.Severity), Rank: ranks[f.grade.Confidence], Message: sarifMessage{f.text},
		Locations: []sarifLocation{{Physical: s.physical(f.start, f.end)}},
	}
	if f.grade.Confidence != "" {
		r.Extra = map[string]any{"confidence": f.grade.Confidence}
	}
	for i, n := range f.related {
		r.Related = append(r.Related, sarifLocation{ID: i + 1, Physical: s.physical(n.start, n.end), Message: &sarifMessage{n.text}})
	}
	for _, offered := range f.fixes {
		r.Fixes = append(r.Fixes, s.fix(offered))
	}
	r.Fingerprints = map[string]string{"idemvet/v1": s.fingerprint(r, f)}
	return r
}

// fingerprint stays the same while the line does, wherever it moves to in its file.
func (s *sarifWriter) fingerprint(r sarifResult, f finding) string {
	key := strings.Join([]string{r.RuleID, r.Locations[0].Physical.Artifact.URI, strings.TrimSpace(s.line(f.start.Filename, f.start.Line))}, "\x00")
	if s.seen == nil {
		s.seen = map[string]int{}
	}
	s.seen[key]++
	sum := sha256.Sum256([]byte(key + strings.Repeat("\x00", s.seen[key])))
	return hex.EncodeToString(sum[:16])
}

func (s *sarifWriter) fix(offered fix) sarifFix {
	made := sarifFix{Description: sarifMessage{offered.text}}
	for _, e := range offered.edits {
		physical := s.physical(e.start, e.end)
		replacement := sarifReplacement{Deleted: physical.Region}
		if e.text != "" {
			replacement.Inserted = &sarifMessage{e.text}
		}
		last := len(made.Changes) - 1
		if last < 0 || made.Changes[last].Artifact.URI != physical.Artifact.URI {
			made.Changes = append(made.Changes, sarifChange{Artifact: physical.Artifact})
			last++
		}
		made.Changes[last].Replacements = append(made.Changes[last].Replacements, replacement)
	}
	return made
}

func (s *sarifWriter) physical(start, end token.Position) sarifPhysical {
	region := sarifRegion{StartLine: max(start.Line, 1), StartColumn: s.column(start)}
	if end.Filename == start.Filename && end.Line >= start.Line {
		region.EndLine, region.EndColumn = max(end.Line, 1), s.column(end)
	}
	return sarifPhysical{Artifact: s.artifact(start.Filename), Region: region}
}

func (s *sarifWriter) artifact(file string) sarifArtifact {
	if rel, ok := within(s.root, file); ok {
		return sarifArtifact{URI: (&url.URL{Path: rel}).EscapedPath(), BaseID: srcRoot}
	}
	return sarifArtifact{URI: (&url.URL{Scheme: "file", Path: filepath.ToSlash(file)}).String()}
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
