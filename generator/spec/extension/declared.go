package extension

import (
	"slices"

	"github.com/idemgen/idemgen/runtime/policy"
)

// A key parameter that a document declares already is a proposal. On an operation that is decided it fills in what
// x-idempotency leaves open, and where the two differ both places are reported.

// usableKeys are the declared keys that can be the key of a request: one in the items of a batch cannot.
func usableKeys(op *policy.Operation) []policy.DeclaredKey {
	return slices.DeleteFunc(slices.Clone(op.Declared), func(k policy.DeclaredKey) bool { return k.InBatchItem })
}

// decideByDeclaration takes the only usable declared key as the decision, where that is asked for.
func (v *resolver) decideByDeclaration() bool {
	if !v.in.AcceptDeclared {
		return false
	}
	usable := usableKeys(v.op)
	if len(usable) > 1 {
		v.diags = append(v.diags, finding(ruleAcceptedMany, usable[0].Pos, "decide with x-idempotency: `key: {in: ..., name: ...}`",
			"%s declares %d keys (%s), so none is accepted as its decision", v.name(), len(usable), keyList(usable)))
		return false
	}
	if len(usable) == 0 {
		return false
	}
	v.accept(usable[0], usable[0].Pos)
	return true
}

func (v *resolver) accept(key policy.DeclaredKey, at policy.Position) {
	v.accepted = &key
	v.op.Decision, v.op.DecidedAt = policy.Keyed, at
}

// layDeclared lays the declared key that counts for this operation over the profile.
func (v *resolver) layDeclared() {
	key := v.acceptedKey()
	if key == nil {
		key = v.declaredKey()
	}
	if key == nil {
		key = v.namedKey()
	}
	if key == nil {
		return
	}
	v.lay(v.declaredSettings(*key), policy.LevelDeclared, key.Pos)
	v.reportContradictions(*key)
}

// acceptedKey is the declared key that the decision rests on, unless x-idempotency further up puts the key elsewhere.
func (v *resolver) acceptedKey() *policy.DeclaredKey {
	if v.accepted == nil {
		return nil
	}
	if place, _, stated := v.statedPlace(); stated && !samePlace(v.accepted.Key, place) {
		return nil
	}
	return v.accepted
}

// declaredKey finds the declared key that x-idempotency means, or the only one there is.
func (v *resolver) declaredKey() *policy.DeclaredKey {
	if v.unread(keyPlace...) {
		return nil
	}
	usable := usableKeys(v.op)
	place, placedAt, stated := v.statedPlace()
	if stated && !v.statedAnywhere("key.name") && !v.statedAnywhere("key.pointer") {
		// `in: form` alone means the form field that is declared.
		if there := keysIn(usable, place.In); len(there) == 1 {
			return &there[0]
		}
	}
	i := slices.IndexFunc(usable, func(k policy.DeclaredKey) bool { return samePlace(k.Key, place) })
	switch {
	case i >= 0 && (stated || len(usable) > 1):
		return &usable[i]
	case stated:
		v.reportOtherPlace(usable, place, placedAt)
		return nil
	case len(usable) == 1:
		return &usable[0]
	case len(usable) > 1:
		v.diags = append(v.diags, finding(ruleDeclaredMany, v.op.DecidedAt, "add `key: {in: ..., name: ...}` for the one that counts",
			"%s declares %d keys (%s), and x-idempotency does not say which one counts", v.name(), len(usable), keyList(usable)))
	case len(v.op.Declared) > 0:
		v.diags = append(v.diags, finding(ruleBatchKey, v.op.Declared[0].Pos, "add `key: {in: header, name: Idempotency-Key}` for a key of the whole request",
			"%s declares its key in the items of a batch, and a key identifies the whole request", v.name()))
	}
	return nil
}

// namedKey is what the schemas say of the body or form key that x-idempotency names.
func (v *resolver) namedKey() *policy.DeclaredKey {
	place, _, stated := v.statedPlace()
	if v.in.Named == nil || !stated || v.unread(keyPlace...) {
		return nil
	}
	switch {
	case place.In == policy.InBody && place.Pointer != "":
	case place.In == policy.InForm && v.statedAnywhere("key.name"):
	default:
		return nil
	}
	key, ok := v.in.Named(place)
	if !ok {
		return nil
	}
	v.named = true
	return &key
}

// saysRequired reports whether a declaration says something of key.required. A member that x-idempotency made the key,
// and that its schema lets be left out, was not written as a key: that must not make requests without one run unprotected.
func (v *resolver) saysRequired(declared policy.DeclaredKey) bool {
	return !v.named || declared.Key.Required
}

// keysIn are the keys that are in one location.
func keysIn(keys []policy.DeclaredKey, in policy.Location) []policy.DeclaredKey {
	return slices.DeleteFunc(slices.Clone(keys), func(k policy.DeclaredKey) bool { return k.Key.In != in })
}

// statedPlace is where the key would be if nothing were declared. stated is true when x-idempotency itself says so.
func (v *resolver) statedPlace() (place policy.Key, at policy.Position, stated bool) {
	var p policy.Policy
	for _, set := range v.effective { // builtin and profile at this time
		set.apply(&p)
	}
	for _, layer := range v.authoredLayers() {
		for _, member := range keyPlace {
			if set, ok := layer.settings[member]; ok {
				set.apply(&p)
				at, stated = set.pos, true
			}
		}
	}
	return p.Key, at, stated
}

func samePlace(a, b policy.Key) bool {
	if a.In != b.In {
		return false
	}
	switch a.In {
	case policy.InBody:
		return a.Pointer == b.Pointer
	case policy.InHeader:
		return sameHeader(a.Name, b.Name)
	default:
		return a.Name == b.Name
	}
}

// declaredSettings are a declaration's values as a layer. What a declaration leaves open, or says in a way that cannot be
// kept, stays open.
func (v *resolver) declaredSettings(declared policy.DeclaredKey) settings {
	key := declared.Key
	set := settings{}
	put := func(member string, apply func(*policy.Policy)) {
		set[member] = setting{apply: apply, pos: declared.Pos}
	}
	put("key.in", func(p *policy.Policy) { p.Key.In = key.In })
	if key.In == policy.InBody {
		put("key.pointer", func(p *policy.Policy) { p.Key.Pointer = key.Pointer })
	} else {
		put("key.name", func(p *policy.Policy) { p.Key.Name = key.Name })
	}
	if v.saysRequired(declared) {
		put("key.required", func(p *policy.Policy) { p.Key.Required = key.Required })
	}
	if slices.Contains([]policy.Format{policy.UUID, policy.UUID4, policy.UUID5, policy.UUID7}, key.Format) {
		put("key.format", func(p *policy.Policy) { p.Key.Format = key.Format })
	}
	if key.MinLength > 0 && key.MinLength <= maxKeyLength {
		put("key.minLength", func(p *policy.Policy) { p.Key.MinLength = key.MinLength })
	}
	if length := v.declaredMaxLength(declared); length > 0 {
		put("key.maxLength", func(p *policy.Policy) { p.Key.MaxLength = length })
	}
	if key.LengthUnit != "" {
		put("key.lengthUnit", func(p *policy.Policy) { p.Key.LengthUnit = key.LengthUnit })
	}
	if key.Syntax != "" {
		put("key.syntax", func(p *policy.Policy) { p.Key.Syntax = key.Syntax })
	}
	if v.usablePattern(declared) {
		put("key.pattern", func(p *policy.Policy) { p.Key.Pattern = key.Pattern })
	}
	return set
}

func (v *resolver) declaredMaxLength(declared policy.DeclaredKey) int {
	length := declared.Key.MaxLength
	if length <= maxKeyLength {
		return length
	}
	v.diags = append(v.diags, finding(ruleDeclaredLength, declared.Pos, "state key.maxLength",
		"%s allows keys of %d, and a database index holds keys of %d: longer ones are refused", describeKey(declared.Key), length, maxKeyLength))
	return maxKeyLength
}

// usablePattern drops a declared pattern that Go cannot compile: it must never reach the generated code, and the document
// may be somebody else's.
func (v *resolver) usablePattern(declared policy.DeclaredKey) bool {
	if declared.Key.Pattern == "" {
		return false
	}
	err := checkPattern(declared.Key.Pattern)
	if err != nil && !v.statedAnywhere("key.pattern") {
		v.diags = append(v.diags, finding(ruleKeyPattern.as("warning"), declared.Pos, "state key.pattern in x-idempotency for a check that Go can make",
			"the declared pattern of %s does not compile and is not checked: %v", describeKey(declared.Key), err))
	}
	return err == nil
}

func (v *resolver) statedAnywhere(member string) bool {
	return slices.ContainsFunc(v.authoredLayers(), func(m *Members) bool {
		_, ok := m.settings[member]
		return ok
	})
}
