package effect

import (
	"net/http"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/runtime/policy"
)

// Of says what op does. What an operation does (search, cancel) says more than what it does it to (payments), and where it
// is written nearest to the operation counts most: the end of its path, then its operationId, then its summary.
func Of(op *policy.Operation) Effect {
	found := signals(op)
	e := found.effect(op)
	if !e.Pos.IsValid() {
		e.Pos = op.Pos
	}
	return e
}

// signal is a word, what it suggests and where it stands.
type signal struct {
	kind  Kind
	word  string
	place string
	// doing is true for a verb that says only that something is done.
	doing bool
}

func (s signal) known() bool { return s.kind != "" || s.doing }

func (s signal) effect() Effect {
	return Effect{Kind: s.kind, Why: "the word " + s.word + " in its " + s.place + " suggests that it " + does[s.kind]}
}

// reading is all that an operation's names say.
type reading struct {
	verbs []signal // nearest first
	noun  signal   // what one more is made of, or what something is done to
	// handle is true where what is got is something that is made.
	handle bool
	// item is true for an operation on one thing that is there: its path ends with a parameter; under for one below such.
	item, under bool
	// plainly is true where the operationId is made of method and path, so that its words say nothing more.
	plainly bool
	// around are nouns anywhere in path, operationId and tags, nearest first.
	around []signal
	// words are all words of path, operationId, summary and tags.
	words map[string]int
	// amount is true where the body has one.
	amount bool
}

func signals(op *policy.Operation) reading {
	r := reading{words: map[string]int{}}
	segments := literals(op.Path)
	r.item = strings.HasSuffix(strings.TrimRight(extensionless(op.Path), "/"), "}") && !op.Webhook
	r.under = strings.Contains(op.Path, "{")
	last := ""
	if len(segments) > 0 {
		last = segments[len(segments)-1]
	}
	lastWords := split(last)
	id := ""
	if !op.IDMade {
		id = op.ID[strings.LastIndexAny(op.ID, "/.:")+1:]
	}
	idWords := split(id)
	r.plainly = len(idWords) == 0 || idWords[0] == strings.ToLower(op.Method)
	r.collect(op, segments, idWords)

	// What the path says in one word is said plainly; of several words the first may be a part of a name.
	if !r.item && len(behind(lastWords)) == 1 {
		r.verb(head(lastWords, "path"))
	}
	if !r.plainly {
		r.verb(head(idWords, "operationId"))
	}
	if !r.item && len(behind(lastWords)) > 1 {
		r.verb(head(lastWords, "path"))
	}
	r.verb(summaryVerb(op.Summary))

	if n := len(lastWords); n > 0 {
		noun := singular(lastWords[n-1])
		r.handle = handles[noun]
		if !r.item && r.counts(noun, before(lastWords)) {
			r.noun = signal{kind: nouns[noun], word: noun, place: "path"}
		}
	}
	for _, segment := range slices.Backward(segments) {
		r.nounOf(split(segment), "path")
	}
	r.nounOf(idWords, "operationId")
	for _, tag := range op.Outline.Tags {
		r.nounOf(split(tag), "tag")
	}
	return r
}

// collect notes what words need to be understood.
func (r *reading) collect(op *policy.Operation, segments, id []string) {
	note := func(words []string) {
		for _, word := range words {
			r.words[singular(word)]++
		}
	}
	for _, segment := range segments {
		note(split(segment))
	}
	if !r.plainly {
		note(id)
	}
	note(split(op.Summary))
	for _, tag := range op.Outline.Tags {
		note(split(tag))
	}
	_, r.amount = topMember(op, amountMembers)
}

// before is the word before the last one; empty where there is none.
func before(words []string) string {
	if len(words) < 2 {
		return ""
	}
	return words[len(words)-2]
}

// counts reports whether a noun or verb means what the tables say, beside the other words.
func (r *reading) counts(word, before string) bool {
	switch {
	case needing[word]:
		return r.amount || r.other(moneyWords, word) && r.words["tax"] == 0 // tax is computed and filed
	case word == "subscription":
		return !r.other(news, word)
	case word == "account":
		return !held[before]
	}
	return true
}

func (r *reading) other(known map[string]bool, word string) bool {
	for w := range r.words {
		if w != word && known[w] {
			return true
		}
	}
	return false
}

func (r *reading) verb(s signal) {
	if s.known() && r.counts(s.word, "") && !(weak[s.word] && r.under) {
		r.verbs = append(r.verbs, s)
	}
}

func (r *reading) nounOf(words []string, place string) {
	if len(words) == 0 {
		return
	}
	noun := singular(words[len(words)-1])
	if kind, ok := nouns[noun]; ok && kind != Provision && r.counts(noun, before(words)) {
		r.around = append(r.around, signal{kind: kind, word: noun, place: place})
	}
}

// head is the verb that a name's words begin with, behind modifiers. Words that are nouns as well count where they cannot
// be one: alone, or where no verb ends the name. An operationId can have its verb at the end, as in paymentCreate.
func head(words []string, place string) signal {
	words = behind(words)
	if len(words) == 0 {
		return signal{}
	}
	if set := orSets(words); set != "" {
		return signal{kind: Set, word: set, place: place}
	}
	if second, ok := afterRead(words, place); ok {
		return second
	}
	first, last := words[0], words[len(words)-1]
	named := place == "operationId"
	if len(words) > 1 && (ambiguous[first] || verbs[first] == "" && !doing[first]) {
		if kind := verbs[last]; named && kind != "" && !ambiguous[last] {
			return signal{kind: kind, word: last, place: place}
		}
		if ambiguous[first] && !named {
			return signal{}
		}
	}
	if kind := verbs[first]; kind != "" {
		return signal{kind: kind, word: first, place: place}
	}
	if doing[first] {
		return signal{word: first, place: place, doing: true}
	}
	return signal{}
}

// orSets is the second verb of "create or update": who finds something there sets it.
func orSets(words []string) string {
	if len(words) > 2 && words[1] == "or" && verbs[singular(words[2])] == Set {
		return singular(words[2])
	}
	return ""
}

// afterRead is what follows a reading verb, as in "check and capture": a read that goes on to something else is none. One
// that makes what it does not find sets it.
func afterRead(words []string, place string) (second signal, ok bool) {
	if len(words) < 3 || verbs[words[0]] != Read && verbs[singular(words[0])] != Read || words[1] != "and" && words[1] != "or" && words[1] != "then" {
		return signal{}, false
	}
	for _, form := range []string{words[2], singular(words[2])} {
		switch kind := verbs[form]; {
		case kind == Read:
			return signal{}, false
		case kind != "" && words[1] == "or":
			return signal{kind: Set, word: form, place: place}, true
		case kind != "":
			return signal{kind: kind, word: form, place: place}, true
		case doing[form]:
			return signal{word: form, place: place, doing: true}, true
		}
	}
	return signal{}, false
}

// behind takes off what stands before a verb, and joins what is one verb in two words.
func behind(words []string) []string {
	for len(words) > 0 && modifiers[words[0]] {
		words = words[1:]
	}
	if len(words) > 1 && words[0] == "top" && words[1] == "up" {
		return append([]string{"topup"}, words[2:]...)
	}
	return words
}

// summaryVerb is the verb that a summary begins with, in either form: "Create a payment", "Creates a payment".
func summaryVerb(summary string) signal {
	words := behind(split(summary))
	if len(words) == 0 {
		return signal{}
	}
	if set := orSets(words); set != "" {
		return signal{kind: Set, word: set, place: "summary"}
	}
	if second, ok := afterRead(words, "summary"); ok {
		return second
	}
	word := words[0]
	if word == "returns" { // to return something is to send it back
		return signal{kind: Read, word: word, place: "summary"}
	}
	for _, form := range []string{word, singular(word), strings.TrimSuffix(word, "es")} {
		if kind := verbs[form]; kind != "" {
			return signal{kind: kind, word: form, place: "summary"}
		}
		if doing[form] {
			return signal{word: form, place: "summary", doing: true}
		}
	}
	return signal{}
}

// effect weighs what was found.
func (r *reading) effect(op *policy.Operation) Effect {
	verb := r.firstVerb(op)
	if e, ok := relative(op); ok && verb.kind != Read {
		return e
	}
	if op.Method == http.MethodPatch && verb.kind != Relative {
		return Effect{Kind: Set, Why: "a PATCH that sets values can be repeated, one that changes them relative to what they were cannot"}
	}
	if verb.kind != "" && verb.kind != Create {
		return verb.effect()
	}
	switch {
	case looks[r.noun.word] && verb.kind == Create:
		return signal{kind: Read, word: r.noun.word, place: r.noun.place}.effect()
	case r.noun.kind != "" && r.one(verb):
		return r.noun.effect()
	case r.item, verb.doing, recording[verb.word]:
	default:
		if e, ok := moves(op); ok {
			return e
		}
	}
	switch {
	case verb.doing && len(r.around) > 0:
		return r.around[0].effect()
	case verb.doing:
		return unknown()
	case verb.kind == Create:
		return verb.effect()
	case r.item:
		return unknown()
	case slices.Contains(op.Successes, "201"):
		return Effect{Kind: Create, Why: "it answers 201, so it creates something, and may create a second one when it is repeated"}
	}
	return unknown()
}

// one reports whether one more of the noun is made: what is created, and what is sent to where such things are found. A
// verb that nobody knows may do anything to it, unless it is money.
func (r *reading) one(verb signal) bool {
	switch {
	case verb.doing, recording[verb.word]:
		return false
	case verb.kind == Create:
		return true
	}
	return r.plainly || r.noun.kind == Money
}

func unknown() Effect {
	return Effect{Kind: Unknown, Why: "nothing in its name says what a repeat does"}
}

// firstVerb is the nearest verb. A word that says that nothing is changed does not count where another says the opposite;
// in a summary neither where something is created, nor where what is got has to be made.
func (r *reading) firstVerb(op *policy.Operation) signal {
	var first signal
	for _, verb := range r.verbs {
		if verb.kind == Read && (r.contradicted() || verb.place == "summary" && (r.handle || slices.Contains(op.Successes, "201"))) {
			continue
		}
		if first.known() && !(first.doing && verb.kind != "") {
			continue
		}
		first = verb
	}
	return first
}

// contradicted reports whether some word says that something is changed.
func (r *reading) contradicted() bool {
	return slices.ContainsFunc(r.verbs, func(s signal) bool { return s.kind != Read && s.kind != "" })
}

// relative looks for a body member that says by how much.
func relative(op *policy.Operation) (Effect, bool) {
	for _, member := range op.Outline.Members {
		name := lastToken(member.Pointer)
		if relativeMembers[plain(name)] {
			return Effect{Kind: Relative, Pos: member.Pos,
				Why: "the member " + shown(member.Pointer) + " of its body suggests that it " + does[Relative]}, true
		}
	}
	return Effect{}, false
}

// moves looks for members that make a movement of money, or a message.
func moves(op *policy.Operation) (Effect, bool) {
	amount, money := topMember(op, amountMembers)
	_, party := topMember(op, partyMembers)
	if money && party {
		return Effect{Kind: Money, Pos: amount.Pos, Why: "the members of its body, " + shown(amount.Pointer) + " among them, suggest that it " + does[Money]}, true
	}
	address, addressed := topMember(op, addressMembers)
	if _, text := topMember(op, textMembers); text && addressed {
		return Effect{Kind: Message, Pos: address.Pos, Why: "the members of its body, " + shown(address.Pointer) + " among them, suggest that it " + does[Message]}, true
	}
	return Effect{}, false
}

func topMember(op *policy.Operation, names map[string]bool) (policy.OutlineMember, bool) {
	for _, member := range op.Outline.Members {
		if strings.Count(member.Pointer, "/") == 1 && names[plain(member.Pointer)] {
			return member, true
		}
	}
	return policy.OutlineMember{}, false
}

// literals are the parts of a path that are no parameters, without a file's extension.
func literals(path string) []string {
	var list []string
	for segment := range strings.SplitSeq(extensionless(path), "/") {
		if segment != "" && !strings.Contains(segment, "{") {
			list = append(list, segment)
		}
	}
	return list
}

// extensionless is a path without .json or .xml at its end.
func extensionless(path string) string {
	return strings.TrimSuffix(strings.TrimSuffix(path, ".json"), ".xml")
}

func lastToken(pointer string) string { return pointer[strings.LastIndex(pointer, "/")+1:] }

// shown is a pointer for a sentence: a document's text, so what is no plain character of a name is left out.
func shown(pointer string) string {
	const most = 60
	clean := strings.Map(func(r rune) rune {
		if r < 0x80 && (r == '/' || r == '_' || r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z') {
			return r
		}
		return -1
	}, pointer)
	return clean[:min(len(clean), most)]
}
