package audit

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/idemgen/idemgen/runtime/policy"
)

// reportVersion is the version of the JSON form. Members are only ever added.
const reportVersion = 1

// SchemaURL is the address of the JSON form's schema.
const SchemaURL = "https://raw.githubusercontent.com/idemgen/idemgen/main/docs/schema/audit-v1.schema.json"

type (
	reportJSON struct {
		Schema     string          `json:"$schema"`
		Version    int             `json:"version"`
		Title      string          `json:"title"`
		Score      int             `json:"score"`
		Marks      marksJSON       `json:"marks"`
		Questions  []string        `json:"questions"`
		Operations []operationJSON `json:"operations"`
		Findings   []findingJSON   `json:"findings"`
	}
	marksJSON struct {
		There    int `json:"there"`
		Possible int `json:"possible"`
	}
	operationJSON struct {
		ID       string       `json:"id"`
		Method   string       `json:"method"`
		Path     string       `json:"path"`
		Webhook  bool         `json:"webhook,omitempty"`
		At       placeJSON    `json:"at"`
		Decision string       `json:"decision"`
		Effect   string       `json:"effect"`
		Key      *keyJSON     `json:"key,omitempty"`
		Answers  []answerJSON `json:"answers"`
		Marks    int          `json:"marks"`
	}
	keyJSON struct {
		In        string    `json:"in"`
		Name      string    `json:"name"`
		Required  bool      `json:"required"`
		Declared  bool      `json:"declared,omitempty"`
		MinLength int       `json:"minLength,omitempty"`
		MaxLength int       `json:"maxLength,omitempty"`
		At        placeJSON `json:"at"`
	}
	answerJSON struct {
		Question int       `json:"question"`
		Answer   string    `json:"answer"`
		Likely   bool      `json:"likely,omitempty"`
		Why      string    `json:"why"`
		Member   string    `json:"member,omitempty"`
		At       placeJSON `json:"at"`
	}
	findingJSON struct {
		ID        string `json:"id"`
		Rule      string `json:"rule"`
		Severity  string `json:"severity"`
		Operation string `json:"operation,omitempty"`
		placeJSON
		Message string `json:"message"`
		Hint    string `json:"hint,omitempty"`
		Snippet string `json:"snippet,omitempty"`
	}
	placeJSON struct {
		File   string `json:"file,omitempty"`
		Line   int    `json:"line,omitempty"`
		Column int    `json:"column,omitempty"` // in bytes, from 1
	}
)

// JSON is the report for programs, as docs/schema/audit-v1.schema.json describes it.
func (r *Report) JSON() ([]byte, error) {
	out := reportJSON{Schema: SchemaURL, Version: reportVersion, Title: r.Title, Score: r.Score.Value, Marks: marksJSON{r.Score.Marks, r.Score.Possible}, Questions: Questions[:],
		Operations: []operationJSON{}, Findings: []findingJSON{}}
	for i := range r.Operations {
		out.Operations = append(out.Operations, operationOf(&r.Operations[i]))
	}
	for _, f := range r.Findings {
		out.Findings = append(out.Findings, findingJSON{ID: f.ID, Rule: f.Rule, Severity: string(f.Severity), Operation: f.Operation,
			placeJSON: placeOfJSON(f.Pos), Message: f.Message, Hint: f.Hint, Snippet: f.Snippet})
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(out); err != nil {
		return nil, fmt.Errorf("the audit's report: %w", err)
	}
	return text.Bytes(), nil
}

func operationOf(op *Operation) operationJSON {
	o := operationJSON{ID: op.ID, Method: op.Method, Path: op.Path, Webhook: op.Webhook, At: placeOfJSON(op.Pos), Decision: DecisionWord(op.Decision), Effect: string(op.Effect), Marks: op.Marks}
	if k := op.Key; k != nil {
		o.Key = &keyJSON{In: string(k.In), Name: k.Name, Required: k.Required, Declared: k.Declared, MinLength: k.MinLength, MaxLength: k.MaxLength, At: placeOfJSON(k.Pos)}
	}
	for i, a := range op.Answers {
		o.Answers = append(o.Answers, answerJSON{Question: i + 1, Answer: string(a.State), Likely: a.Likely, Why: a.Why, Member: a.Member, At: placeOfJSON(a.Pos)})
	}
	return o
}

// DecisionWord is a decision in a word.
func DecisionWord(d policy.Decision) string {
	if d == policy.Undecided {
		return "undecided"
	}
	return string(d)
}

func placeOfJSON(at policy.Position) placeJSON { return placeJSON{at.File, at.Line, at.Column} }

// ReadBaseline reads the IDs of the findings of an earlier report, as JSON wrote it.
func ReadBaseline(text []byte) (map[string]bool, error) {
	var earlier struct {
		Version  int
		Findings []struct{ ID string }
	}
	if err := json.Unmarshal(text, &earlier); err != nil {
		return nil, fmt.Errorf("it is no report of idemgen audit --format json: %w", err)
	}
	if earlier.Version != reportVersion {
		return nil, fmt.Errorf("it has the version %d, and this idemgen reads version %d: write it anew with idemgen audit --format json", earlier.Version, reportVersion)
	}
	ids := map[string]bool{}
	for _, f := range earlier.Findings {
		ids[f.ID] = true
	}
	return ids, nil
}
