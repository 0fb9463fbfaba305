package policy

// Document is one API's idempotency policy: what an OpenAPI document, its overlays and the chosen profiles come to.
// Everything in it is sorted, so that equal inputs give equal documents.
type Document struct {
	// Title and Version are the OpenAPI document's info.title and info.version.
	Title, Version string
	// SpecFile is the main document's path as the user wrote it.
	SpecFile string
	// Overlays are the files laid over it, in their order.
	Overlays []string
	// OpenAPI is the version string of the source document, for example "3.1.0" or "2.0".
	OpenAPI string
	// Servers are the server URLs of the document, in its order.
	Servers []string

	// PageTitle, Contact and DocsURL are the root extension's members for the published page. DocsURL is the page's
	// own address; problem types and externalDocs link to it.
	PageTitle, Contact, DocsURL string
	// Profile is the root's profile, "ietf" when none is named.
	Profile string

	// Operations holds every operation of the document, keyed or not, sorted by path, then method; webhooks last,
	// sorted by name, then method.
	Operations []Operation
	// Schemas holds the named schemas that keyed operations reach, sorted by name.
	Schemas []*Schema
	// Consumers are the declared queue consumers, sorted by name.
	Consumers []Consumer
}

// Keyed returns the operations whose decision is [Keyed], in the document's order.
func (d *Document) Keyed() []*Operation {
	var keyed []*Operation
	for i := range d.Operations {
		if d.Operations[i].Decision == Keyed {
			keyed = append(keyed, &d.Operations[i])
		}
	}
	return keyed
}

// Decision is what an API says about repeating one of its operations.
type Decision string

// The decisions.
const (
	// Undecided is a POST or PATCH of which nothing is said yet.
	Undecided Decision = ""
	// Keyed is protected by an idempotency key, required or optional.
	Keyed Decision = "keyed"
	// Natural is idempotent by construction.
	Natural Decision = "natural"
	// NotRepeatable is stated as unsafe to repeat (`none`).
	NotRepeatable Decision = "none"
	// Conditional is made safe by a conditional request such as If-Match (RFC 9110, section 13).
	Conditional Decision = "conditional"
	// Safe is an operation without x-idempotency whose method is idempotent by RFC 9110, section 9.2.2.
	Safe Decision = "safe"
)

// Operation is one operation of the document and what is decided about it.
type Operation struct {
	// ID is the operationId, or one made from method and path when the document gives none (IDMade is true then).
	ID     string
	IDMade bool
	// Method is in capitals; Path is the route template as the document writes it, or the webhook's name.
	Method, Path string
	// Webhook is true for an operation under `webhooks`: the document's reader receives it.
	Webhook bool
	// Summary and Description are the document's own text, CommonMark, untrusted.
	Summary, Description string
	Deprecated           bool
	// ExternalDocs is the URL of the operation's externalDocs, if it has any.
	ExternalDocs string
	// Pos is the operation's key in its file.
	Pos Position
	// Pointer is the JSON Pointer of the operation in the document with its overlays, for its path item may be a
	// reference; empty when it stands in another file.
	Pointer string
	// Successes are the statuses of class 2XX that the document gives the operation's answers, as written, sorted.
	Successes []string

	Decision Decision
	// Reason is the author's reason for Natural and NotRepeatable; it may be empty.
	Reason string
	// Condition is the header of a Conditional operation, for example "If-Match".
	Condition string
	// DecidedAt is where the decision stands, the zero Position when Undecided or Safe.
	DecidedAt Position

	// Policy is the effective policy; meaningful only when Decision is Keyed.
	Policy Policy
	// Contract is the profile that Policy started from, with the source of each value; nil unless Decision is Keyed. It may
	// be shared by many operations and is not to be changed.
	Contract *Profile
	// Origins says where each member of Policy was set.
	Origins Origins
	// Declared are the key parameters that the document already declares for this operation: proposals, not decisions.
	Declared []DeclaredKey

	// Outline is what the document says of the operation's interface in a few words, keyed or not.
	Outline Outline
	// Shape is the operation's HTTP interface; nil unless Decision is Keyed.
	Shape *Shape
}

// RequestKeys returns the declared keys that are keys of the request: one per item of a batch is not.
func (op *Operation) RequestKeys() []DeclaredKey {
	var keys []DeclaredKey
	for _, key := range op.Declared {
		if !key.InBatchItem {
			keys = append(keys, key)
		}
	}
	return keys
}

// DeclaredKey is a key parameter that a document declares already.
type DeclaredKey struct {
	// Key holds what the declaration says: where, name, required, length, pattern, format.
	Key Key
	// Known says why it was recognised, for example "header named Idempotency-Key" or "profile square".
	Known string
	// Pos is the declaration's place.
	Pos Position
	// Type and SchemaFormat are the JSON type and the format of its schema as written, empty where it has none. Nullable is
	// true where the schema lets it be null.
	Type, SchemaFormat string
	Nullable           bool
	// MayBeAbsent is true for a member of a body that is optional, or that has a media type without the key: whatever its
	// schema requires, a request may come without it.
	MayBeAbsent bool
	// InBatchItem is true when the key stands in the items of an array: one key per item is not a key of the request.
	InBatchItem bool
}

// Required reports whether no request may come without the key and a value for it.
func (d *DeclaredKey) Required() bool { return d.Key.Required && !d.MayBeAbsent && !d.Nullable }

// Consumer is a queue consumer that records each event once (see the inbox).
type Consumer struct {
	Name      string
	Event     string   // JSON Pointer of the event's schema, as written: "#/components/schemas/ChargeUpdated"
	ID        string   // JSON Pointer of the business id within the event
	Group     string   // consumer group; the record is unique per (group, id)
	Retention Duration // how long an id is remembered
	Source    string   // kafka, sqs, ...; free text for the page
	Pos       Position
}
