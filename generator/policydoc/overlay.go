package policydoc

import (
	"bytes"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/output"
	"github.com/idemgen/idemgen/runtime/policy"
)

// Overlay returns an OpenAPI Overlay (version 1.0.0, YAML) that puts doc's policy into the API's own document: the key
// parameter, the header that marks a repetition, the refusals, a paragraph in the description and a link to the page. It
// holds only what the document lacks, and is nil when that is nothing. extends is the document's address as the overlay
// names it, which may be empty.
//
// Applied twice it changes nothing more: objects are merged, and a parameter is taken out before it is put in, as lists
// are appended to. Targets are written so that simple implementations understand them: brackets and quotes down to the
// operation, lists within the update.
func Overlay(doc *policy.Document, extends string) ([]byte, diag.List, error) {
	b := &overlayBuilder{doc: doc, swagger: strings.HasPrefix(doc.OpenAPI, "2"), components: map[string]bool{}}
	urls := doc.DocsURLs()
	for i := range doc.Operations {
		op := &doc.Operations[i]
		if op.Decision == policy.Keyed && op.Shape != nil {
			b.operation(op, link(urls[i]))
		}
	}
	if len(b.actions) == 0 {
		return nil, b.findings, nil
	}
	root := object(
		field{"overlay", text("1.0.0")},
		field{"info", object(
			field{"title", text("Idempotency of " + orElse(oneLine(doc.Title), "this API"))},
			field{"version", text(orElse(oneLine(doc.Version), "1"))},
		)},
		field{"extends", textOr(extends)},
		field{"actions", list(slices.Concat(b.shared(), b.actions)...)},
	)
	out := bytes.NewBufferString("# " + output.Marker + "\n")
	encoded, err := yaml.Dump(root, yaml.WithIndent(2), yaml.WithLineWidth(-1))
	if err != nil {
		return nil, nil, fmt.Errorf("write the overlay: %w", err)
	}
	out.Write(encoded)
	return out.Bytes(), b.findings, nil
}

type overlayBuilder struct {
	doc     *policy.Document
	swagger bool
	actions []*yaml.Node
	// problem is set once the schema of a refusal is referred to; components are the shared ones that have an action.
	problem    bool
	components map[string]bool
	findings   diag.List
}

func (b *overlayBuilder) update(target string, update *yaml.Node) {
	b.actions = append(b.actions, object(field{"target", text(target)}, field{"update", update}))
}

func (b *overlayBuilder) remove(target string) {
	b.actions = append(b.actions, object(field{"target", text(target)}, field{"remove", boolean(true)}))
}

func (b *overlayBuilder) skip(pos policy.Position, rule, message, hint string) {
	b.findings = append(b.findings, diag.Diagnostic{Pos: pos, Rule: rule, Severity: diag.Info, Message: message, Hint: hint})
}

// operation adds what op lacks.
func (b *overlayBuilder) operation(op *policy.Operation, docs string) {
	if op.Pointer == "" && op.Pos.File != "" && b.doc.SpecFile != "" && op.Pos.File != b.doc.SpecFile {
		b.skip(op.Pos, "overlay-other-file",
			fmt.Sprintf("%s %s stands in a file of its own, and an overlay changes the main document only", op.Method, op.Path),
			"apply the overlay to the document after bundling it into one file")
	}
	target := op.JSONPath()
	description := described(op, docs)
	if description == op.Description {
		description = ""
	}
	var external *yaml.Node
	if docs != "" && op.ExternalDocs == "" {
		external = object(field{"description", text("What happens when this request is repeated")}, field{"url", text(docs)})
	}
	var parameters []*yaml.Node
	if parameter := b.missingParameter(op); parameter != nil {
		parameters = append(parameters, parameter)
		b.removeParameter(target, op.Policy.Key.Name, op.Policy.Key.In)
	}
	if parameter := b.missingFirstSent(op); parameter != nil {
		parameters = append(parameters, parameter)
		b.removeParameter(target, op.Policy.Key.FirstSent.Header, policy.InHeader)
	}
	update := object(
		field{"description", textOr(description)},
		field{"externalDocs", external},
		field{"parameters", listOrNil(parameters)},
		field{"responses", orNil(b.responses(op))},
	)
	if !empty(update) {
		b.update(target, update)
	}
}

func orNil(node *yaml.Node) *yaml.Node {
	if empty(node) {
		return nil
	}
	return node
}

func listOrNil(nodes []*yaml.Node) *yaml.Node {
	if len(nodes) == 0 {
		return nil
	}
	return list(nodes...)
}

// removeParameter takes a parameter out that an earlier overlay put in.
func (b *overlayBuilder) removeParameter(target, name string, in policy.Location) {
	b.remove(fmt.Sprintf("%s.parameters[?@.name == %s && @.in == %s]", target, policy.QuoteJSONPath(name), policy.QuoteJSONPath(string(in))))
}

// The paragraph in a description stands between comments, by which it is found again; CommonMark renderers do not show
// them.
const (
	paragraphStart = "<!-- idempotency: start -->"
	paragraphEnd   = "<!-- idempotency: end -->"
)

// described is op's description with the current paragraph at its end, in place of an earlier one.
func described(op *policy.Operation, docs string) string {
	p := &op.Policy
	sentences := []Sentence{say("**Idempotency.**"), keyPlace(p.Key)}
	if !p.Key.Required {
		sentences = append(sentences, say("Without one, sending the request twice may do its work twice."))
	}
	repetition := "gets the first answer"
	if p.Replay.As == policy.Current {
		repetition = "is answered from the state of things at its time"
	}
	sentences = append(sentences,
		say("Use a new key for each thing you want done, and the same key for each attempt at it: the work is done once, and a repetition within {} {}.", inWords(p.Retention), repetition),
		say("The same key with another request is refused with {}.", status(p.Errors.Mismatch)))
	own := paragraph(sentences...).String()
	if docs != "" {
		own += " [More](" + docs + ")."
	}
	own = paragraphStart + "\n" + own + "\n" + paragraphEnd
	if rest := strings.TrimSpace(withoutParagraph(op.Description)); rest != "" {
		return rest + "\n\n" + own
	}
	return own
}

func withoutParagraph(description string) string {
	before, rest, found := strings.Cut(description, paragraphStart)
	if !found {
		return description
	}
	_, after, closed := strings.Cut(rest, paragraphEnd)
	if !closed {
		return description
	}
	return before + after
}

// missingParameter is the key's parameter, where the key travels in one and the document does not declare it.
func (b *overlayBuilder) missingParameter(op *policy.Operation) *yaml.Node {
	key := op.Policy.Key
	if key.In != policy.InHeader && key.In != policy.InQuery {
		return nil // a key in a body without a place for it is an error long before
	}
	for _, parameter := range op.Shape.Parameters {
		same := parameter.Name == key.Name || key.In == policy.InHeader && strings.EqualFold(parameter.Name, key.Name)
		if parameter.IsKey || same && parameter.In == string(key.In) {
			return nil
		}
	}
	about := paragraph(
		say("Names the thing you want done: new for each, the same for each attempt at it."), keyLength(key),
		keySyntax(key), say("Remembered for {}.", inWords(op.Policy.Retention)),
	)
	schema := keySchema(key)
	fields := []field{
		{"name", text(key.Name)}, {"in", text(string(key.In))}, {"required", boolean(key.Required)}, {"description", text(about.String())},
	}
	if b.swagger {
		return object(append(fields, schema...)...)
	}
	example := exampleKey(key)
	if key.In == policy.InHeader {
		example = headerValue(key, example)
	}
	return object(append(fields, field{"schema", object(schema...)}, field{"example", text(example)})...)
}

// missingFirstSent is the parameter of the time of a first attempt, where one is asked for and the document does not
// declare it.
func (b *overlayBuilder) missingFirstSent(op *policy.Operation) *yaml.Node {
	first := op.Policy.Key.FirstSent
	if first.Header == "" {
		return nil
	}
	for _, parameter := range op.Shape.Parameters {
		if parameter.In == "header" && strings.EqualFold(parameter.Name, first.Header) {
			return nil
		}
	}
	about := say("When the first attempt was sent, the same for each attempt at one thing; sent with every key. A request that was first sent more than {} ago, or more than {} in the future, is refused.",
		inWords(op.Policy.Retention), inWords(first.MaxSkew))
	fields := []field{
		{"name", text(first.Header)}, {"in", text("header")}, {"required", boolean(op.Policy.Key.Required)}, {"description", text(about.String())},
	}
	if b.swagger {
		return object(append(fields, field{"type", text("string")})...)
	}
	return object(append(fields, field{"schema", object(field{"type", text("string")})}, field{"example", text(exampleDate)})...)
}

// exampleDate is an IMF-fixdate (RFC 9110, section 5.6.7).
const exampleDate = "Mon, 02 Nov 2026 15:04:05 GMT"

// keySchema is the key as a JSON Schema, as far as one can say it: lengths count characters there, and a quoted key is
// longer than the key.
func keySchema(key policy.Key) []field {
	fields := []field{{"type", text("string")}}
	if key.In == policy.InHeader && key.Syntax == policy.Structured {
		return fields
	}
	if key.Format != "" && key.Format != policy.AnyFormat {
		fields = append(fields, field{"format", text("uuid")})
	}
	if key.MinLength > 0 && key.LengthUnit != policy.Bytes {
		fields = append(fields, field{"minLength", number(key.MinLength)})
	}
	if key.MaxLength > 0 {
		fields = append(fields, field{"maxLength", number(key.MaxLength)})
	}
	if key.Pattern != "" {
		fields = append(fields, field{"pattern", text(key.Pattern)})
	}
	return fields
}

// sharedResponse updates a shared response, once.
func (b *overlayBuilder) sharedResponse(name string, update *yaml.Node) {
	target := "$.components.responses[" + policy.QuoteJSONPath(name) + "]"
	if b.swagger {
		target = "$.responses[" + policy.QuoteJSONPath(name) + "]"
	}
	if b.components[target] {
		return
	}
	b.components[target] = true
	b.update(target, update)
}

const problemSchema = "IdempotencyProblem"

// shared is the action that adds what the others refer to.
func (b *overlayBuilder) shared() []*yaml.Node {
	if !b.problem {
		return nil
	}
	member := func(kind, about string) *yaml.Node {
		return object(field{"type", text(kind)}, field{"description", text(about)})
	}
	schema := object(field{problemSchema, object(
		field{"type", text("object")},
		// No list of required members: laid over twice, a list would hold each twice.
		field{"description", text("Says why a request with an idempotency key was refused (RFC 9457).")},
		field{"properties", object(
			field{"type", member("string", "A URI that names the kind of refusal. It does not change.")},
			field{"title", member("string", "The kind of refusal in words, which may change.")},
			field{"status", member("integer", "The HTTP status.")},
			field{"detail", member("string", "What to do about it.")},
			field{"code", member("string", "A code, where the kind has one.")},
		)},
	)})
	update := object(field{"components", object(field{"schemas", schema})})
	if b.swagger {
		update = object(field{"definitions", schema})
	}
	return []*yaml.Node{object(field{"target", text("$")}, field{"update", update})}
}

// responses is what op's responses lack: the mark of a repetition on answers that are kept, and the refusals.
func (b *overlayBuilder) responses(op *policy.Operation) *yaml.Node {
	var fields []field
	for _, response := range op.Shape.Responses {
		if update := b.documented(op, response); !empty(update) {
			fields = append(fields, field{response.Status, update})
		}
	}
	for _, change := range op.Policy.Replay.Status {
		to := strconv.Itoa(change.To)
		if !documents(op, to) && documents(op, strconv.Itoa(change.From)) {
			var headers []field
			if marker := op.Policy.Replay.Header; marker != "" {
				headers = append(headers, field{marker, b.markerHeader(op)})
			}
			fields = append(fields, field{to, object(
				field{"description", text(fmt.Sprintf("The answer to a repeated request whose first answer was %d.", change.From))},
				field{"headers", orNil(object(append(headers, b.policyHeaders(op, nil, true, nil)...)...))},
			)})
		}
	}
	for _, group := range refusalsByStatus(op) {
		if !documents(op, group.status) {
			fields = append(fields, field{group.status, b.refusal(op, group)})
		}
	}
	slices.SortFunc(fields, func(x, y field) int { return strings.Compare(x.name, y.name) })
	return object(fields...)
}

func documents(op *policy.Operation, status string) bool {
	return slices.ContainsFunc(op.Shape.Responses, func(r policy.Response) bool { return r.Status == status })
}

// documented is what a response that is there already lacks.
func (b *overlayBuilder) documented(op *policy.Operation, response policy.Response) *yaml.Node {
	var headers, contents []field
	if marker := op.Policy.Replay.Header; marker != "" && keeps(op.Policy.Store.Statuses, response.Status) && !hasHeader(response, marker) {
		headers = append(headers, field{marker, b.markerHeader(op)})
	}
	var refused []policy.HeaderValue
	if response.Ref == "" {
		refused = refusedWith(op, response.Status)
	}
	headers = append(headers, b.policyHeaders(op, &response, keeps(op.Policy.Store.Statuses, response.Status), refused)...)
	if response.Ref != "" {
		// A $ref stands for the whole response, so the header goes to what it stands for. A refusal does not: the
		// component may serve operations that refuse nothing.
		b.referred(response, headers)
		return nil
	}
	for _, group := range refusalsByStatus(op) {
		if group.status != response.Status {
			continue
		}
		if group.retryAfter && !hasHeader(response, "Retry-After") {
			headers = append(headers, field{"Retry-After", b.retryAfterHeader()})
		}
		mediaType := refusalType(op)
		has := slices.ContainsFunc(response.Contents, func(c policy.Content) bool { return baseType(c.MediaType) == mediaType })
		if !has && !b.swagger {
			contents = append(contents, field{mediaType, object(field{"schema", b.refusalSchema(op)})})
		}
	}
	return object(
		field{"headers", orNil(object(headers...))},
		field{"content", orNil(object(contents...))},
	)
}

func (b *overlayBuilder) referred(response policy.Response, headers []field) {
	if len(headers) == 0 {
		return
	}
	for _, prefix := range []string{"#/components/responses/", "#/responses/"} {
		escaped, ok := strings.CutPrefix(response.Ref, prefix)
		if !ok || strings.Contains(escaped, "/") {
			continue
		}
		name, err := url.PathUnescape(escaped)
		if err != nil {
			break
		}
		name = strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")
		b.sharedResponse(name, object(field{"headers", object(headers...)}))
		return
	}
	b.skip(response.Pos, "overlay-response-ref",
		fmt.Sprintf("the response %s is %s, to which the header %s cannot be added from here", response.Status, response.Ref, headers[0].name),
		"add the header to the response")
}

// keeps reports whether answers documented under key, a code or a class, can be kept.
func keeps(set policy.Statuses, key string) bool {
	if code, err := strconv.Atoi(key); err == nil {
		return set.Contains(code)
	}
	if len(key) != 3 || !strings.EqualFold(key[1:], "XX") {
		return false // "default"
	}
	return slices.ContainsFunc(set, func(entry string) bool { return entry[:1] == key[:1] })
}

func hasHeader(response policy.Response, name string) bool {
	return slices.ContainsFunc(response.Headers, func(h policy.Parameter) bool { return strings.EqualFold(h.Name, name) })
}

func (b *overlayBuilder) header(about, kind string) *yaml.Node {
	if b.swagger {
		return object(field{"description", text(about)}, field{"type", text(kind)})
	}
	return object(field{"description", text(about)}, field{"schema", object(field{"type", text(kind)})})
}

func (b *overlayBuilder) markerHeader(op *policy.Operation) *yaml.Node {
	about := say("Present, as {}, when the answer is that of an earlier request with the same key.", code(op.Policy.Replay.Value))
	if op.Policy.Replay.As == policy.Current {
		about = say("Present, as {}, when an earlier request with the same key was carried out and this one was not.", code(op.Policy.Replay.Value))
	}
	return b.header(about.String(), "string")
}

// policyHeaders are the headers that the policy gives answers of one status, but for those that a response has already:
// those of answers to requests with an accepted key, where kept says that the status may be one of them, and those of the
// refusals that have it.
func (b *overlayBuilder) policyHeaders(op *policy.Operation, response *policy.Response, kept bool, refused []policy.HeaderValue) []field {
	var fields []field
	add := func(name string, about Sentence) {
		known := slices.ContainsFunc(fields, func(f field) bool { return strings.EqualFold(f.name, name) })
		if !known && (response == nil || !hasHeader(*response, name)) {
			fields = append(fields, field{name, b.header(about.String(), "string")})
		}
	}
	if kept {
		for _, header := range op.Policy.Answers.Headers {
			i := slices.IndexFunc(refused, func(h policy.HeaderValue) bool { return strings.EqualFold(h.Name, header.Name) })
			switch {
			case i >= 0:
				add(header.Name, say("{} when the request's key was accepted, with the first answer and each repetition; {} with a refusal.", code(header.Value), code(refused[i].Value)))
			case header.Value == policy.KeyPlaceholder:
				add(header.Name, say("The request's key."))
			default:
				add(header.Name, say("{}, when the request's key was accepted, with the first answer and each repetition.", code(header.Value)))
			}
		}
	}
	for _, header := range refused {
		add(header.Name, say("{}, with a refusal.", code(header.Value)))
	}
	return fields
}

func (b *overlayBuilder) retryAfterHeader() *yaml.Node {
	return b.header("Seconds to wait before the request is sent again.", "integer")
}

// refusalGroup is the refusals of one status.
type refusalGroup struct {
	status     string
	reasons    []string
	retryAfter bool
	headers    []policy.HeaderValue // one for each name
}

// refusalsByStatus groups op's refusals, sorted by status.
func refusalsByStatus(op *policy.Operation) []refusalGroup {
	var groups []refusalGroup
	for _, refusal := range refusals(&op.Policy) {
		status := refusal.Status.Raw()
		i := slices.IndexFunc(groups, func(g refusalGroup) bool { return g.status == status })
		if i < 0 {
			i = len(groups)
			groups = append(groups, refusalGroup{status: status})
		}
		groups[i].reasons = append(groups[i].reasons, refusalReason(&op.Policy, refusal.Case))
		switch refusal.Case {
		case refusalInFlight, refusalUnavailable, refusalUnknown:
			groups[i].retryAfter = true
		}
		for _, header := range refusalHeaders(&op.Policy.Errors, refusal.Case) {
			if !slices.ContainsFunc(groups[i].headers, func(h policy.HeaderValue) bool { return h.Name == header.Name }) {
				groups[i].headers = append(groups[i].headers, header)
			}
		}
	}
	for i := range groups {
		if groups[i].status == "400" { // the runtime answers so whatever is wrong with a request
			groups[i].reasons = append(groups[i].reasons, "the request is not as it is described here")
		}
	}
	slices.SortFunc(groups, func(a, b refusalGroup) int { return strings.Compare(a.status, b.status) })
	return groups
}

// refusedWith are the headers of op's refusals of a status.
func refusedWith(op *policy.Operation, status string) []policy.HeaderValue {
	for _, group := range refusalsByStatus(op) {
		if group.status == status {
			return group.headers
		}
	}
	return nil
}

// refusalHeaders are the headers that a refusal carries beside Retry-After.
func refusalHeaders(e *policy.Errors, name string) []policy.HeaderValue {
	switch name {
	case refusalMissing:
		return e.Missing.Headers
	case refusalMalformed:
		return e.Malformed.Headers
	case refusalMismatch:
		return e.Mismatch.Headers
	case refusalInFlight:
		return e.InFlight.Headers
	case refusalTooLarge:
		return e.TooLarge.Headers
	case refusalUnavailable:
		return e.Unavailable.Headers
	case refusalExpired:
		return e.Expired.Headers
	}
	return nil
}

var refusalReasons = map[string]string{
	refusalMissing:      "there is no idempotency key",
	refusalMalformed:    "the idempotency key is malformed",
	refusalExpired:      "the first attempt was too long ago, or is said to be in the future",
	refusalMismatch:     "the idempotency key came with another request before",
	refusalInFlight:     "the first request with this idempotency key is still at work (retry with the same key)",
	refusalTooLarge:     "the work was done and its answer was too large to keep (do not repeat the request)",
	refusalBusinessRule: "what may be done only once was done before",
	refusalEffect:       "its effect is there already (read the current state)",
	refusalUnavailable:  "idempotency keys cannot be checked at the moment (retry with the same key)",
	refusalUnknown:      "it cannot be told yet whether the work was done (retry with the same key)",
}

// refusalReason says why a request is refused.
func refusalReason(p *policy.Policy, name string) string {
	if p.Mode == policy.LeaseMode {
		switch name {
		case refusalInFlight:
			return "the work for this idempotency key is in progress (retry with the same key)"
		case refusalUnknown:
			return "the work has begun and is not finished yet (retry with the same key)"
		}
	}
	return refusalReasons[name]
}

func (b *overlayBuilder) refusal(op *policy.Operation, group refusalGroup) *yaml.Node {
	var fields []field
	if marker := op.Policy.Replay.Header; marker != "" && keeps(op.Policy.Store.Statuses, group.status) {
		fields = append(fields, field{marker, b.markerHeader(op)}) // the operation's own answers of the status are kept
	}
	if group.retryAfter {
		fields = append(fields, field{"Retry-After", b.retryAfterHeader()})
	}
	fields = append(fields, b.policyHeaders(op, nil, keeps(op.Policy.Store.Statuses, group.status), group.headers)...)
	headers := orNil(object(fields...))
	description := text("Refused: " + strings.Join(group.reasons, ", or ") + ".")
	schema := b.refusalSchema(op)
	if b.swagger {
		return object(field{"description", description}, field{"headers", headers}, field{"schema", schema})
	}
	return object(
		field{"description", description},
		field{"headers", headers},
		field{"content", object(field{refusalType(op), object(field{"schema", schema})})},
	)
}

// refusalType is the media type of op's refusals.
func refusalType(op *policy.Operation) string {
	if isProblem(op.Policy.Errors.Shape) {
		return "application/problem+json"
	}
	return "application/json"
}

// refusalSchema is the schema of op's refusals. What a provider's own form holds is not described: its document does that.
func (b *overlayBuilder) refusalSchema(op *policy.Operation) *yaml.Node {
	if !isProblem(op.Policy.Errors.Shape) {
		return object(field{"type", text("object")})
	}
	b.problem = true
	ref := "#/components/schemas/" + problemSchema
	if b.swagger {
		ref = "#/definitions/" + problemSchema
	}
	return object(field{"$ref", text(ref)})
}

func isProblem(shape string) bool { return shape == "" || shape == "problem" }

// relative is how a file in the folder of from refers to another, both relative to one folder; empty where it cannot.
func relative(from, to string) string {
	to = path.Clean(strings.ReplaceAll(to, `\`, "/"))
	if to == "." || path.IsAbs(to) || strings.HasPrefix(to, "../") || strings.Contains(to, ":") {
		return ""
	}
	folders := strings.Split(path.Dir(path.Clean(from)), "/")
	target := strings.Split(to, "/")
	for len(folders) > 0 && len(target) > 1 && folders[0] == target[0] {
		folders, target = folders[1:], target[1:]
	}
	up := ""
	for _, folder := range folders {
		if folder != "." {
			up += "../"
		}
	}
	return (&url.URL{Path: up + strings.Join(target, "/")}).String()
}
