package policydoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/idemgen/idemgen/runtime/policy"
)

// IsJSONPolicy reports whether content is a JSON policy, and not an OpenAPI document. It reads no further than it has to.
func IsJSONPolicy(content []byte) bool {
	decoder := json.NewDecoder(bytes.NewReader(content))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return false
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return false
		}
		switch name {
		case "$schema":
			var schema string
			return decoder.Decode(&schema) == nil && schema == SchemaURL
		case "operations":
			return true
		case "openapi", "swagger", "info", "paths":
			return false
		}
		var passed json.RawMessage
		if decoder.Decode(&passed) != nil {
			return false
		}
	}
	return false
}

// ReadDocument reads a JSON policy of version 1 as the document that it was written from, as far as it is published: no
// guards, no steps, no downstream calls, no schemas. name is the file's, for positions, which are those of the operations.
// Members that it does not know are passed over.
func ReadDocument(content []byte, name string) (*policy.Document, error) {
	if len(content) > maxPolicy {
		return nil, fmt.Errorf("%s: the policy is larger than %s", name, inBytes(maxPolicy))
	}
	file, err := splitPolicy(content)
	if err != nil {
		return nil, fmt.Errorf("%s is not JSON of the form that idemgen generate writes: %w", name, err)
	}
	if file.version != policyVersion {
		return nil, fmt.Errorf("%s is a policy of version %d, and this idemgen reads version %d", name, file.version, policyVersion)
	}
	doc := &policy.Document{
		Title: file.api.Title, Version: file.api.Version, OpenAPI: file.api.OpenAPI, Profile: file.api.Profile, Servers: file.api.Servers,
		Contact: file.api.Contact, DocsURL: file.api.DocsURL, SpecFile: name,
	}
	lines := lineCounter{content: content, line: 1}
	for _, part := range file.operations {
		line, column := lines.at(part.offset)
		op, err := readOperation(part.content)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
		op.Pos = policy.Position{File: name, Line: line, Column: column}
		doc.Operations = append(doc.Operations, op)
	}
	for _, c := range file.consumers {
		consumer := policy.Consumer{Name: c.Name, Event: c.Event, ID: c.ID, Group: c.Group, Source: c.Source, Pos: policy.Position{File: name}}
		if consumer.Retention, err = readDuration(c.Retention); err != nil {
			return nil, fmt.Errorf("%s: the consumer %q: %w", name, c.Name, err)
		}
		doc.Consumers = append(doc.Consumers, consumer)
	}
	return doc, nil
}

// AsPublished is doc as the readers of its JSON policy know it, with the places of doc.
func AsPublished(doc *policy.Document) (*policy.Document, error) {
	content, err := policyJSON(doc)
	if err != nil {
		return nil, err
	}
	published, err := ReadDocument(content, doc.SpecFile)
	if err != nil {
		return nil, err
	}
	for i := range published.Operations {
		op, from := &published.Operations[i], &doc.Operations[i]
		op.Pos, op.DecidedAt, op.Origins, op.IDMade = from.Pos, from.DecidedAt, from.Origins, from.IDMade
		if op.Shape != nil && op.Shape.Body != nil && from.Shape != nil && from.Shape.Body != nil {
			op.Shape.Body.Pos = from.Shape.Body.Pos
		}
	}
	for i := range published.Consumers {
		published.Consumers[i].Pos = doc.Consumers[i].Pos
	}
	return published, nil
}

// policyParts is a JSON policy with its operations still to be read.
type policyParts struct {
	version    int
	api        jsonAPI
	operations []policyPart
	consumers  []jsonConsumer
}

type policyPart struct {
	offset  int64
	content json.RawMessage
}

func splitPolicy(content []byte) (file policyParts, err error) {
	decoder := json.NewDecoder(bytes.NewReader(content))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return file, errors.New("it is no object")
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return file, err
		}
		switch name {
		case "version":
			err = decoder.Decode(&file.version)
		case "api":
			err = decoder.Decode(&file.api)
		case "consumers":
			err = decoder.Decode(&file.consumers)
		case "operations":
			file.operations, err = splitOperations(decoder)
		default:
			var passed json.RawMessage
			err = decoder.Decode(&passed)
		}
		if err != nil {
			return file, err
		}
	}
	if _, err := decoder.Token(); err != nil {
		return file, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return file, errors.New("something follows the object")
	}
	return file, nil
}

func splitOperations(decoder *json.Decoder) ([]policyPart, error) {
	if open, err := decoder.Token(); err != nil || open != json.Delim('[') {
		return nil, errors.New("operations is no list")
	}
	var parts []policyPart
	for decoder.More() {
		var part policyPart
		if err := decoder.Decode(&part.content); err != nil {
			return nil, err
		}
		part.offset = decoder.InputOffset() - int64(len(part.content))
		parts = append(parts, part)
	}
	_, err := decoder.Token()
	return parts, err
}

// lineCounter tells the lines of offsets that only grow.
type lineCounter struct {
	content []byte
	offset  int
	line    int
}

func (l *lineCounter) at(offset int64) (line, column int) {
	l.line += bytes.Count(l.content[l.offset:offset], []byte("\n"))
	l.offset = int(offset)
	return l.line, l.offset - bytes.LastIndexByte(l.content[:l.offset], '\n')
}

func readOperation(content []byte) (policy.Operation, error) {
	var from struct {
		jsonOperation
		Promises json.RawMessage `json:"promises"` // sentences are written, never read
	}
	if err := json.Unmarshal(content, &from); err != nil {
		return policy.Operation{}, err
	}
	op := policy.Operation{
		ID: from.ID, Method: from.Method, Path: from.Path, Webhook: from.Webhook, Deprecated: from.Deprecated, Summary: from.Summary,
		Decision: policy.Decision(from.Decision), Reason: from.Reason, Condition: from.Condition,
	}
	switch op.Decision {
	case "undecided":
		op.Decision = policy.Undecided
	case policy.Natural, policy.NotRepeatable, policy.Conditional, policy.Safe:
	case policy.Keyed:
		if from.Rules == nil {
			return op, fmt.Errorf("the operation %q is keyed and has no rules", op.ID)
		}
		if err := readRules(&op.Policy, from.Rules); err != nil {
			return op, fmt.Errorf("the operation %q: %w", op.ID, err)
		}
		op.Shape = readShape(from.Request, from.Responses)
	default:
		return op, fmt.Errorf("the operation %q has a decision that is not known, %q", op.ID, from.Decision)
	}
	return op, nil
}

func readShape(requests, responses []string) *policy.Shape {
	shape := &policy.Shape{}
	if len(requests) > 0 {
		shape.Body = &policy.Body{}
		for _, mediaType := range requests {
			shape.Body.Contents = append(shape.Body.Contents, policy.Content{MediaType: mediaType})
		}
	}
	for _, status := range responses {
		shape.Responses = append(shape.Responses, policy.Response{Status: status})
	}
	return shape
}

func readRules(p *policy.Policy, from *jsonRules) error {
	var failed error
	span := func(member, text string) time.Duration {
		d, err := readDuration(text)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", member, err))
		}
		return d
	}
	*p = policy.Policy{
		Profile: from.Profile, Mode: policy.Mode(from.Mode),
		Key: policy.Key{
			In: policy.Location(from.Key.In), Name: from.Key.Name, Pointer: from.Key.Pointer, Required: from.Key.Required,
			Format: policy.Format(from.Key.Format), MinLength: from.Key.MinLength, MaxLength: from.Key.MaxLength,
			LengthUnit: policy.LengthUnit(from.Key.LengthUnit), Pattern: from.Key.Pattern, Syntax: policy.Syntax(from.Key.Syntax),
			RefusePersonalData: from.Key.RefusePersonalData,
		},
		Retention: span("retention", from.Retention), RetryWindow: span("retryWindow", from.RetryWindow),
		Fingerprint: policy.Fingerprint{
			Body: policy.BodyRule(from.Fingerprint.Body), Include: from.Fingerprint.Include, Exclude: from.Fingerprint.Exclude,
			Query: from.Fingerprint.Query, Headers: from.Fingerprint.Headers,
		},
		Store: policy.StoreRules{
			Statuses: from.Store.Statuses, Headers: ownHeaders(from.Store.Headers), MaxBody: from.Store.MaxBody, OmitBody: !from.Store.Body,
		},
		Replay: policy.Replay{As: policy.ReplayKind(from.Replay.As), Header: from.Replay.Header, Value: from.Replay.Value},
		InFlight: policy.InFlight{
			Answer: policy.InFlightAnswer(from.InFlight.Answer), MaxWait: span("inFlight.maxWait", from.InFlight.MaxWait),
			RetryAfter: span("inFlight.retryAfter", from.InFlight.RetryAfter),
		},
		Errors: policy.Errors{
			Missing: readError(&from.Errors.Missing), Malformed: readError(&from.Errors.Malformed), Mismatch: readError(&from.Errors.Mismatch),
			InFlight: readError(&from.Errors.InFlight), Unavailable: readError(&from.Errors.Unavailable), TooLarge: readError(&from.Errors.TooLarge),
			Expired: readError(from.Errors.Expired), Shape: from.Errors.Shape,
		},
		Note: from.Note,
	}
	for _, part := range from.Scope {
		p.Scope = append(p.Scope, policy.ScopePart(part))
	}
	if first := from.Key.FirstSent; first != nil {
		p.Key.FirstSent = policy.FirstSent{Header: first.Header, MaxSkew: span("key.firstSent.maxSkew", first.MaxSkew)}
	}
	if from.Lease != nil {
		p.Lease.Duration = span("lease.duration", from.Lease.Duration)
	}
	if from.Answers != nil {
		p.Answers.Headers = readHeaders(from.Answers.Headers)
	}
	for status, to := range from.Replay.Status {
		code, err := strconv.Atoi(status)
		if err != nil {
			return fmt.Errorf("replay.status %q is not a status", status)
		}
		p.Replay.Status = append(p.Replay.Status, policy.StatusChange{From: code, To: to})
	}
	slices.SortFunc(p.Replay.Status, func(a, b policy.StatusChange) int { return a.From - b.From })
	return failed
}

// ownHeaders are the headers that a policy keeps beside those that are always kept.
func ownHeaders(kept []string) []string {
	always := keptHeaders(&policy.Policy{})
	return slices.DeleteFunc(slices.Clone(kept), func(name string) bool { return slices.Contains(always, name) })
}

func readError(from *jsonError) policy.ErrorAnswer {
	if from == nil {
		return policy.ErrorAnswer{}
	}
	return policy.ErrorAnswer{Status: from.Status, Type: from.Type, Title: from.Title, Code: from.Code, Headers: readHeaders(from.Headers)}
}

func readHeaders(from map[string]string) []policy.HeaderValue {
	var headers []policy.HeaderValue
	for name, value := range from {
		headers = append(headers, policy.HeaderValue{Name: name, Value: value})
	}
	slices.SortFunc(headers, func(a, b policy.HeaderValue) int { return strings.Compare(a.Name, b.Name) })
	return headers
}

// readDuration reads a duration that may be left out.
func readDuration(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	return ParseDuration(text)
}
