package policydoc

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/idemgen/idemgen/generator/output"
	"github.com/idemgen/idemgen/runtime/policy"
)

// SchemaURL is where the schema of the JSON policy is published.
const SchemaURL = "https://raw.githubusercontent.com/idemgen/idemgen/main/docs/schema/policy-v1.schema.json"

// policyVersion is the JSON policy's own version: members may be added to it, never taken away or given another meaning.
const policyVersion = 1

// The JSON policy. docs/schema/policy-v1.schema.json describes each member; the names are a contract.
type (
	jsonPolicy struct {
		Schema     string          `json:"$schema"`
		Comment    string          `json:"$comment"`
		Version    int             `json:"version"`
		API        jsonAPI         `json:"api"`
		Operations []jsonOperation `json:"operations"`
		Consumers  []jsonConsumer  `json:"consumers,omitempty"`
	}

	jsonAPI struct {
		Title   string   `json:"title"`
		Version string   `json:"version"`
		OpenAPI string   `json:"openapi"`
		Profile string   `json:"profile,omitempty"`
		Servers []string `json:"servers,omitempty"`
		Contact string   `json:"contact,omitempty"`
		DocsURL string   `json:"docsUrl,omitempty"`
	}

	jsonOperation struct {
		ID         string     `json:"id"`
		Method     string     `json:"method"`
		Path       string     `json:"path"`
		Webhook    bool       `json:"webhook,omitempty"`
		Deprecated bool       `json:"deprecated,omitempty"`
		Summary    string     `json:"summary,omitempty"`
		DocsURL    string     `json:"docsUrl,omitempty"`
		Decision   string     `json:"decision"`
		Reason     string     `json:"reason,omitempty"`
		Condition  string     `json:"condition,omitempty"`
		Request    []string   `json:"requestTypes,omitempty"`
		Responses  []string   `json:"responses,omitempty"`
		Rules      *jsonRules `json:"rules,omitempty"`
		Promises   []Promise  `json:"promises,omitempty"`
		Example    *Request   `json:"example,omitempty"`
		Other      *Request   `json:"other,omitempty"`
	}

	jsonRules struct {
		Profile      string          `json:"profile,omitempty"`
		Mode         string          `json:"mode"`
		Key          jsonKey         `json:"key"`
		Scope        []string        `json:"scope"`
		Retention    string          `json:"retention"`
		RetryWindow  string          `json:"retryWindow,omitempty"`
		Fingerprint  jsonFingerprint `json:"fingerprint"`
		Store        jsonStore       `json:"store"`
		Replay       jsonReplay      `json:"replay"`
		InFlight     jsonInFlight    `json:"inFlight"`
		Lease        *jsonLease      `json:"lease,omitempty"`
		Errors       jsonErrors      `json:"errors"`
		Answers      *jsonAnswers    `json:"answers,omitempty"`
		Undocumented []string        `json:"undocumented,omitempty"`
		Note         string          `json:"note,omitempty"`
	}

	jsonKey struct {
		In                 string         `json:"in"`
		Name               string         `json:"name,omitempty"`
		Pointer            string         `json:"pointer,omitempty"`
		Required           bool           `json:"required"`
		Format             string         `json:"format"`
		MinLength          int            `json:"minLength"`
		MaxLength          int            `json:"maxLength"`
		LengthUnit         string         `json:"lengthUnit"`
		Pattern            string         `json:"pattern,omitempty"`
		Syntax             string         `json:"syntax,omitempty"`
		RefusePersonalData bool           `json:"refusePersonalData"`
		FirstSent          *jsonFirstSent `json:"firstSent,omitempty"`
	}

	jsonFirstSent struct {
		Header  string `json:"header"`
		MaxSkew string `json:"maxSkew"`
	}

	jsonFingerprint struct {
		Body    string   `json:"body"`
		Include []string `json:"include,omitempty"`
		Exclude []string `json:"exclude,omitempty"`
		Query   bool     `json:"query"`
		Headers []string `json:"headers,omitempty"`
	}

	jsonStore struct {
		Statuses []string `json:"statuses"`
		Headers  []string `json:"headers"`
		Body     bool     `json:"body"`
		MaxBody  int64    `json:"maxBody,omitempty"`
	}

	jsonReplay struct {
		As     string         `json:"as"`
		Header string         `json:"header,omitempty"`
		Value  string         `json:"value,omitempty"`
		Status map[string]int `json:"status,omitempty"`
	}

	jsonInFlight struct {
		Answer     string `json:"answer"`
		MaxWait    string `json:"maxWait,omitempty"`
		RetryAfter string `json:"retryAfter"`
	}

	jsonLease struct {
		Duration string `json:"duration"`
	}

	jsonErrors struct {
		Shape       string     `json:"shape"`
		Missing     jsonError  `json:"missing"`
		Malformed   jsonError  `json:"malformed"`
		Mismatch    jsonError  `json:"mismatch"`
		InFlight    jsonError  `json:"inFlight"`
		Unavailable jsonError  `json:"unavailable"`
		TooLarge    jsonError  `json:"tooLarge"`
		Expired     *jsonError `json:"expired,omitempty"`
	}

	jsonAnswers struct {
		Headers map[string]string `json:"headers"`
	}

	jsonError struct {
		Status  int               `json:"status"`
		Type    string            `json:"type,omitempty"`
		Code    string            `json:"code,omitempty"`
		Title   string            `json:"title,omitempty"`
		Headers map[string]string `json:"headers,omitempty"`
	}

	jsonConsumer struct {
		Name      string `json:"name"`
		Event     string `json:"event"`
		ID        string `json:"id"`
		Group     string `json:"group,omitempty"`
		Retention string `json:"retention,omitempty"`
		Source    string `json:"source,omitempty"`
	}
)

// policyJSON is doc's policy for machines.
func policyJSON(doc *policy.Document) ([]byte, error) {
	p := jsonPolicy{
		Schema: SchemaURL, Comment: output.Marker, Version: policyVersion,
		API: jsonAPI{
			Title: doc.Title, Version: doc.Version, OpenAPI: doc.OpenAPI, Profile: doc.Profile,
			Servers: doc.Servers, Contact: doc.Contact, DocsURL: link(doc.DocsURL),
		},
		Operations: make([]jsonOperation, len(doc.Operations)),
	}
	urls := doc.DocsURLs()
	for i := range doc.Operations {
		p.Operations[i] = newJSONOperation(&doc.Operations[i], link(urls[i]))
	}
	for _, c := range doc.Consumers {
		consumer := jsonConsumer{Name: c.Name, Event: c.Event, ID: c.ID, Group: c.Group, Source: c.Source}
		if c.Retention > 0 {
			consumer.Retention = isoDuration(c.Retention)
		}
		p.Consumers = append(p.Consumers, consumer)
	}

	// The text ends up in pages and in scripts: <, > and & stay escaped, which is the encoder's default.
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(p); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func newJSONOperation(op *policy.Operation, docs string) jsonOperation {
	o := jsonOperation{
		ID: op.ID, Method: op.Method, Path: op.Path, Webhook: op.Webhook, Deprecated: op.Deprecated, Summary: op.Summary,
		Decision: string(op.Decision), Reason: op.Reason, Condition: op.Condition,
	}
	if op.Decision == policy.Undecided {
		o.Decision = "undecided"
	}
	if op.Decision != policy.Safe {
		o.DocsURL = docs // the others have no section on the page
	}
	if op.Decision != policy.Keyed {
		return o
	}
	o.Rules = newJSONRules(op)
	o.Promises = promises(op)
	o.Example, o.Other = exampleRequests(op)
	if op.Shape == nil {
		return o
	}
	if op.Shape.Body != nil {
		for _, content := range op.Shape.Body.Contents {
			o.Request = append(o.Request, content.MediaType)
		}
	}
	for _, response := range op.Shape.Responses {
		o.Responses = append(o.Responses, response.Status)
	}
	return o
}

func newJSONRules(op *policy.Operation) *jsonRules {
	p := &op.Policy
	rules := &jsonRules{
		Profile: p.Profile, Mode: string(p.Mode),
		Key: jsonKey{
			In: string(p.Key.In), Name: p.Key.Name, Pointer: p.Key.Pointer, Required: p.Key.Required,
			Format: orElse(string(p.Key.Format), string(policy.AnyFormat)), MinLength: p.Key.MinLength, MaxLength: p.Key.MaxLength,
			LengthUnit: orElse(string(p.Key.LengthUnit), string(policy.Characters)), Pattern: p.Key.Pattern,
			Syntax: string(p.Key.Syntax), RefusePersonalData: p.Key.RefusePersonalData,
		},
		Scope: make([]string, len(p.Scope)), Retention: isoDuration(p.Retention), RetryWindow: isoOrEmpty(p.RetryWindow),
		Fingerprint: jsonFingerprint{
			Body: string(p.Fingerprint.Body), Include: p.Fingerprint.Include, Exclude: p.Fingerprint.Exclude,
			Query: p.Fingerprint.Query, Headers: p.Fingerprint.Headers,
		},
		Store:  jsonStore{Statuses: slices.Clone(p.Store.Statuses), Headers: keptHeaders(p), Body: !p.Store.OmitBody, MaxBody: p.Store.MaxBody},
		Replay: jsonReplay{As: string(p.Replay.As), Header: p.Replay.Header},
		InFlight: jsonInFlight{
			Answer: string(p.InFlight.Answer), RetryAfter: isoDuration(time.Duration(retryAfter(p)) * time.Second),
		},
		Errors: jsonErrors{
			Shape:   orElse(p.Errors.Shape, "problem"),
			Missing: newJSONError(p.Errors.Missing), Malformed: newJSONError(p.Errors.Malformed),
			Mismatch: newJSONError(p.Errors.Mismatch), InFlight: newJSONError(p.Errors.InFlight),
			Unavailable: newJSONError(p.Errors.Unavailable), TooLarge: newJSONError(p.Errors.TooLarge),
		},
		Undocumented: undocumentedMembers(op),
		Note:         p.Note,
	}
	if first := p.Key.FirstSent; first.Header != "" {
		rules.Key.FirstSent = &jsonFirstSent{Header: first.Header, MaxSkew: isoDuration(first.MaxSkew)}
		expired := newJSONError(p.Errors.Expired)
		rules.Errors.Expired = &expired
	}
	if len(p.Answers.Headers) > 0 {
		rules.Answers = &jsonAnswers{Headers: map[string]string{}}
		for _, header := range p.Answers.Headers {
			rules.Answers.Headers[header.Name] = header.Value
		}
	}
	if p.Mode == policy.LeaseMode {
		rules.Lease = &jsonLease{Duration: isoDuration(p.Lease.Duration)}
	}
	if p.Key.In != policy.InHeader {
		rules.Key.Syntax = ""
	}
	if p.Replay.Header != "" {
		rules.Replay.Value = p.Replay.Value
	}
	if p.InFlight.Answer == policy.Wait {
		rules.InFlight.MaxWait = isoDuration(p.InFlight.MaxWait)
	}
	for i, part := range p.Scope {
		rules.Scope[i] = string(part)
	}
	for _, change := range p.Replay.Status {
		if rules.Replay.Status == nil {
			rules.Replay.Status = make(map[string]int)
		}
		rules.Replay.Status[strconv.Itoa(change.From)] = change.To
	}
	return rules
}

func newJSONError(answer policy.ErrorAnswer) jsonError {
	e := jsonError{Status: answer.Status, Type: answer.Type, Code: answer.Code, Title: answer.Title}
	for _, header := range answer.Headers {
		if e.Headers == nil {
			e.Headers = make(map[string]string)
		}
		e.Headers[header.Name] = header.Value
	}
	return e
}

func isoOrEmpty(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return isoDuration(d)
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}
