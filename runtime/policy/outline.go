package policy

// Outline is what a document says of an operation's interface in a few words: names and places, without schemas. Every
// operation has one, keyed or not. All of it is the document's own text, untrusted.
type Outline struct {
	// Tags are the operation's, in the document's order.
	Tags []string
	// Headers are the names of its header parameters, the path item's included, sorted.
	Headers []string
	// Members are those of its request body, the top level and one level below, in document order and each once.
	Members []OutlineMember
	// Answers are its documented responses, sorted by status.
	Answers []OutlineAnswer
	// Retries is what the document tells generated clients about repeating the operation by themselves; nil where it
	// tells nothing.
	Retries *Retries
}

// OutlineMember is a member of a request body.
type OutlineMember struct {
	// Pointer is its JSON Pointer; the token "-" stands for every item of a list.
	Pointer string
	Pos     Position
}

// OutlineAnswer is a documented response.
type OutlineAnswer struct {
	// Status is "200", "4XX" or "default".
	Status string
	// MediaTypes are those of its content, sorted.
	MediaTypes []string
	Pos        Position
}

// Retries is what a document says to generators of clients, at its root or on an operation.
type Retries struct {
	// Member is the extension that says it, for example "x-speakeasy-retries".
	Member string
	// Off is true where it says that nothing is repeated.
	Off bool
	// MaxElapsed is how long a client goes on; 0 where that is not said.
	MaxElapsed Duration
	Pos        Position
}
