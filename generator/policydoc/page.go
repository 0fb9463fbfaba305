package policydoc

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/policy"
)

// Page is what policy.md.tmpl and policy.html.tmpl are given. Everything from a spec is a [Text], a [Code], a [Prose] or a
// [Block], so that it does no harm however a template places it: printed as it is it is Markdown, .HTML is HTML, and .Raw
// gives the text of the spec itself.
type Page struct {
	// Title is the page's heading; API and Version are the document's.
	Title, API, Version Text
	// Contact is who to ask: an address to link to, or else a name.
	ContactURL string
	Contact    Text
	// Areas are the table of all operations that something has to be said of, in the order of the document; Counts are
	// how many there are of each kind.
	Areas  []Area
	Counts []Count
	// Flows show what happens when an answer is lost, for each way to repeat that the document has.
	Flows []Flow
	// Using and Retrying are the rules for every keyed operation.
	Using, Retrying []Rule
	// Refusing says what every refusal means; Bodies show how refusals look, one for each form in use.
	Refusing []Rule
	Bodies   []Body
	// Shared is what all operations with a key have in common.
	Shared Shared
	// Keyed are the operations with a key; the others are grouped by what is said of them. Each is in the order of the
	// document. Safe counts the operations whose method is idempotent by definition, and SafeCalls names them.
	Keyed                                   []Section
	Natural, Conditional, Unsafe, Undecided []Entry
	Safe                                    int
	SafeCalls                               []Code
	Consumers                               []Consumer
	// Origins are the providers whose rules these are.
	Origins []Origin
}

// Rule is a sentence that tells a client what to do.
type Rule struct {
	ID   string
	Text Sentence
}

// Body is an example of a refusal's body.
type Body struct {
	About     Sentence
	MediaType Code
	Example   Block
}

// Entry is an operation in a list or a table.
type Entry struct {
	ID, Anchor string
	// Call is method and path, or the webhook's name.
	Call       Code
	Webhook    bool
	Deprecated bool
	Summary    Text
	Reason     Text
	Condition  Code
}

// Section is a keyed operation's own part of the page.
type Section struct {
	Entry
	// Where, Required, Retention, InFlight and Marker are the policy in brief. Marker is the header of a repetition, empty
	// where nothing marks one.
	Where     Sentence
	Required  bool
	Retention string
	InFlight  Sentence
	Marker    Code
	// Groups and Refusals are the whole policy; Own and OwnRefusals leave out what stands in Page.Shared.
	// Shares says that something does.
	Groups, Own           []Group
	Refusals, OwnRefusals []Refusal
	Shares                bool
	Example               Block
	Note                  Prose
}

// Group is the promises under one topic.
type Group struct {
	Topic    Topic
	Promises []Promise
}

// Refusal is one of the answers that say that something is wrong with a key.
type Refusal struct {
	// Case is how the type of its problem ends by default, such as "key-reused" or "duplicate-effect".
	Case   string
	When   Sentence
	Status Code
	// Mark tells the refusal from other answers of its status.
	Mark Sentence
	Do   Sentence
}

// Consumer is a queue consumer that handles each event once.
type Consumer struct {
	Name, Group Text
	Event, ID   Code
	Retention   string
	Source      Text
}

// NewPage is the page's data for doc.
func NewPage(doc *policy.Document) Page {
	page := Page{
		Title: Text(doc.PageTitle), API: Text(doc.Title), Version: Text(doc.Version),
		ContactURL: contactURL(doc.Contact), Contact: Text(doc.Contact),
		Using: using(), Retrying: retrying(), Refusing: refusing(), Bodies: bodies(doc),
	}
	if doc.PageTitle == "" {
		page.Title = "Retrying requests safely"
	}
	anchors := doc.Anchors()
	var rows []Row
	for i := range doc.Operations {
		op := &doc.Operations[i]
		entry := newEntry(op, anchors[i])
		if op.Decision != policy.Safe {
			rows = append(rows, newRow(op, entry))
		}
		switch op.Decision {
		case policy.Keyed:
			page.Keyed = append(page.Keyed, newSection(doc, op, entry))
		case policy.Natural:
			page.Natural = append(page.Natural, entry)
		case policy.Conditional:
			page.Conditional = append(page.Conditional, entry)
		case policy.NotRepeatable:
			page.Unsafe = append(page.Unsafe, entry)
		case policy.Undecided:
			page.Undecided = append(page.Undecided, entry)
		default:
			page.Safe++
			page.SafeCalls = append(page.SafeCalls, entry.Call)
		}
	}
	page.Areas, page.Counts = areas(rows), counts(rows)
	page.Flows, page.Origins = flows(doc), origins(doc)
	page.Shared = share(page.Keyed)
	for _, c := range doc.Consumers {
		page.Consumers = append(page.Consumers, Consumer{
			Name: Text(c.Name), Group: Text(c.Group), Event: Code(c.Event), ID: Code(c.ID),
			Retention: inWords(c.Retention), Source: Text(c.Source),
		})
	}
	return page
}

var emailAddress = regexp.MustCompile(`^[A-Za-z0-9._+-]+@[A-Za-z0-9.-]+$`)

// contactURL is where a contact leads: an e-mail address, a web address, or nowhere.
func contactURL(contact string) string {
	if emailAddress.MatchString(contact) {
		return "mailto:" + contact
	}
	return link(contact)
}

func newEntry(op *policy.Operation, anchor string) Entry {
	call := op.Method + " " + op.Path
	if op.Webhook {
		call = op.Path
	}
	return Entry{
		ID: op.ID, Anchor: anchor, Call: Code(call), Webhook: op.Webhook, Deprecated: op.Deprecated,
		Summary: Text(op.Summary), Reason: Text(op.Reason), Condition: Code(op.Condition),
	}
}

func newSection(doc *policy.Document, op *policy.Operation, entry Entry) Section {
	s := Section{
		Entry: entry, Where: where(op.Policy.Key), Required: op.Policy.Key.Required, Retention: inWords(op.Policy.Retention),
		InFlight: inFlightBriefly(&op.Policy), Marker: marker(&op.Policy), Refusals: refusals(&op.Policy), Example: curl(doc, op), Note: Prose(op.Policy.Note),
	}
	for _, promise := range promises(op) {
		if promise.Topic == TopicRefusal {
			continue // in s.Refusals
		}
		last := len(s.Groups) - 1
		if last < 0 || s.Groups[last].Topic != promise.Topic {
			s.Groups = append(s.Groups, Group{Topic: promise.Topic})
			last++
		}
		s.Groups[last].Promises = append(s.Groups[last].Promises, promise)
	}
	return s
}

// marker is the header that tells a repetition.
func marker(p *policy.Policy) Code {
	if p.Replay.Header == "" {
		return ""
	}
	return Code(p.Replay.Header + ": " + p.Replay.Value)
}

// Sentences is the group's promises as one paragraph.
func (g Group) Sentences() Sentence {
	sentences := make([]Sentence, len(g.Promises))
	for i, promise := range g.Promises {
		sentences[i] = promise.Text
	}
	return paragraph(sentences...)
}

// using is how a client makes and uses a key.
func using() []Rule {
	return []Rule{
		{"client-key-per-intent", say("Make a new key for each thing you want done, before the first request for it. A random UUID is a good key.")},
		{"client-key-kept", say("Send that key with every attempt. If your program may be restarted in between, store the key together with what you want done before you send anything.")},
		{"client-same-request", say("Send the same request each time: the same address and the same bytes.")},
		{"client-key-opaque", say("Put nothing into a key that must not be stored, such as personal data or secrets, and do not make keys from a clock or a counter.")},
	}
}

// retrying is how a client repeats a request.
func retrying() []Rule {
	return []Rule{
		{"client-retry-when", say("Retry after a timeout, a lost connection, {}, any {}, and the answer that the first request is still at work.", code("429"), code("5xx"))},
		{"client-retry-never", say("Do not retry after any other {}: correct the request first, and give the corrected one a new key.", code("4xx"))},
		{"client-retry-open", say("After a lost connection or a {} the work may have been done. Only the same key finds out: never answer doubt with a new key.", code("5xx"))},
		{"client-retry-pause", say("Wait before each retry: a random time between zero and {}, where {} counts the retries from zero. Where the answer has {}, wait at least as long as it says.", code("min(20 s, 0.5 s × 2^n)"), code("n"), code("Retry-After"))},
		{"client-retry-few", say("Make few attempts, five for example, and make them in one place only: three layers that try three times each send 27 requests.")},
	}
}

// refusing is what a refusal means.
func refusing() []Rule {
	return []Rule{
		{"refusal-no-effect", say("A request that is refused for its key does nothing, and is never shown the answer of another request.")},
		{"refusal-others", say("A request is also refused, whatever its key, when it is not as this API describes it or cannot be read ({}), when it is not known who asks ({}), when its body is too large ({}), and when its body is of a type or an encoding that is not taken ({}). Such a refusal does nothing either, and leaves the key free. {} are explained in one place.", code("400"), code("401"), code("413"), code("415"), leadsTo{"All types of refusals", strings.TrimSuffix(runtime.DefaultProblemBase, "#")})},
		{"refusal-no-guess", say("A key that is sent twice, or differently in two places of one request, is refused as malformed.")},
	}
}

// bodies shows each form that refusals take.
func bodies(doc *policy.Document) []Body {
	var list []Body
	var seen []string
	for _, op := range doc.Keyed() {
		shape := op.Policy.Errors.Shape
		if shape == "" {
			shape = "problem"
		}
		if slices.Contains(seen, shape) {
			continue
		}
		seen = append(seen, shape)
		list = append(list, newBody(shape, op.Policy.Errors.InFlight))
	}
	return list
}

func newBody(shape string, answer policy.ErrorAnswer) Body {
	switch shape {
	case "problem":
		kind := answer.Type
		if kind == "" {
			kind = runtime.DefaultProblemBase + refusalInFlight
		}
		return Body{
			About:     say("A refusal is a problem document (RFC 9457). Tell refusals apart by their {}: its end is in the tables below and does not change, while the words may.", code("type")),
			MediaType: "application/problem+json",
			Example: jsonBlock(struct {
				Type   string `json:"type"`
				Title  string `json:"title,omitempty"`
				Status int    `json:"status"`
				Detail string `json:"detail"`
				Code   string `json:"code,omitempty"`
			}{kind, answer.Title, answer.Status, "Send the same request again later, with the same key.", answer.Code}),
		}
	case "stripe":
		type object struct {
			Type    string `json:"type"`
			Code    string `json:"code,omitempty"`
			Message string `json:"message"`
		}
		kind := answer.Type
		if kind == "" {
			kind = "invalid_request_error"
		}
		return Body{
			About:     say("A refusal has an error object. Tell refusals apart by its {} and {}, which are in the tables below and do not change, while the words may.", code("type"), code("code")),
			MediaType: "application/json",
			Example: jsonBlock(struct {
				Error object `json:"error"`
			}{object{kind, answer.Code, answer.Title}}),
		}
	default:
		return Body{About: say("A refusal has the form of this API's other errors.")}
	}
}

func jsonBlock(value any) Block {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return "" // the structs above always encode
	}
	return Block(text)
}

// The refusals, and how the types of their problems end.
const (
	refusalMissing      = "missing-key"
	refusalMalformed    = "malformed-key"
	refusalMismatch     = "key-reused"
	refusalInFlight     = "in-flight"
	refusalTooLarge     = "answer-not-kept"
	refusalBusinessRule = "conflict"
	refusalEffect       = "duplicate-effect"
	refusalUnavailable  = "unavailable"
	refusalUnknown      = "outcome-unknown"
)

// The statuses of the two answers that a policy has no say in.
const (
	statusConflict = "409"
	statusUnknown  = "503"
)

func refusals(p *policy.Policy) []Refusal {
	var list []Refusal
	add := func(name string, answer policy.ErrorAnswer, when, do Sentence) {
		list = append(list, Refusal{
			Case: name, When: when, Status: Code(strconv.Itoa(answer.Status)), Mark: mark(p.Errors.Shape, name, answer), Do: do,
		})
	}
	e := &p.Errors
	if p.Key.Required {
		add(refusalMissing, e.Missing, say("there is no key"), say("Send one."))
	}
	add(refusalMalformed, e.Malformed, say("the key is malformed"), say("Send a well-formed one."))
	if p.Key.FirstSent.Header != "" {
		add(refusalExpired, e.Expired, say("the first attempt was too long ago, or is said to be in the future"), say("Do not repeat it: look up what was made."))
	}
	add(refusalMismatch, e.Mismatch, say("the key came with another request before"), say("Give each request its own key."))
	atWork, unknown := say("the first request is still at work"), say("it cannot be told yet whether the work was done")
	if p.Mode == policy.LeaseMode {
		atWork, unknown = say("the work is in progress"), say("the work has begun and is not finished yet")
	}
	add(refusalInFlight, e.InFlight, atWork, say("Retry with the same key, after {}.", code("Retry-After")))
	if hasLimit(p) {
		add(refusalTooLarge, e.TooLarge, say("the work was done, and its answer was too large to keep"), say("Do not repeat it: look up what was made."))
	}
	if hasBusinessRule(p) {
		add(refusalBusinessRule, policy.ErrorAnswer{Status: 409}, say("what may be done only once was done before"), say("Do not repeat it: look up what was made."))
	}
	if hasSafetyNet(p) {
		add(refusalEffect, policy.ErrorAnswer{Status: 409}, say("its effect is there already"), say("Read the current state."))
	}
	add(refusalUnavailable, e.Unavailable, say("keys cannot be checked"), say("Retry with the same key, after {}.", code("Retry-After")))
	add(refusalUnknown, policy.ErrorAnswer{Status: 503}, unknown, say("Retry with the same key, never with a new one."))
	return list
}

// mark tells a refusal from other answers of its status. The address where the runtime's own types are documented is left
// out: it is the same for all, and long.
func mark(shape, name string, answer policy.ErrorAnswer) Sentence {
	if answer.Type == runtime.DefaultProblemBase+name {
		answer.Type = ""
	}
	switch {
	case answer.Code != "" && answer.Type != "":
		return say("{}, {}", code(answer.Type), code(answer.Code))
	case answer.Code != "":
		return say("{}", code(answer.Code))
	case answer.Type != "":
		return say("{}", code(answer.Type))
	case shape == "" || shape == "problem":
		return say("{}", code(fmt.Sprintf("…#%s", name)))
	default:
		return say("–")
	}
}
