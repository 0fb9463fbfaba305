package policy

import "fmt"

// Position is a place in a source file: where a reader has to look to change something.
type Position struct {
	// File is the path as the user wrote it, or as the referring file resolves it; never made absolute.
	File string
	// Line and Column count from 1, Column in bytes. Zero means unknown.
	Line, Column int
}

// IsValid reports whether p names at least a line.
func (p Position) IsValid() bool { return p.Line > 0 }

// String is file:line:column, with what is unknown left out.
func (p Position) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	default:
		return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
	}
}

// Before orders positions by file, line and column.
func (p Position) Before(q Position) bool {
	if p.File != q.File {
		return p.File < q.File
	}
	if p.Line != q.Line {
		return p.Line < q.Line
	}
	return p.Column < q.Column
}

// Origin says where one member of an effective policy was set.
type Origin struct {
	// Member is the dotted path of the member within x-idempotency, for example "key.maxLength" or "retention".
	Member string
	// Level is the layer that won.
	Level Level
	// Pos is where the value stands; for [LevelProfile] and [LevelBuiltin] it is where the profile was chosen, or the
	// operation.
	Pos Position
}

// Level is a layer from which a policy's members are taken. The deepest layer that sets a member wins.
type Level string

// The layers, from the weakest to the strongest.
const (
	LevelBuiltin   Level = "builtin"   // idemgen's own default
	LevelProfile   Level = "profile"   // a profile's value
	LevelDeclared  Level = "declared"  // a key parameter that the document declares already
	LevelDocument  Level = "document"  // x-idempotency at the root
	LevelPathItem  Level = "path item" // x-idempotency on the path item
	LevelOperation Level = "operation" // x-idempotency on the operation
)

// Origins lists where the members of a policy were set, sorted by Member.
type Origins []Origin

// Find returns the origin of member. If the member itself was not set on its own, the origin of the nearest member that
// contains it is returned: "key" for "key.pattern". ok is false when none is known.
func (o Origins) Find(member string) (origin Origin, ok bool) {
	for name := member; name != ""; name = parentMember(name) {
		for i := range o {
			if o[i].Member == name {
				return o[i], true
			}
		}
	}
	return Origin{}, false
}

func parentMember(member string) string {
	for i := len(member) - 1; i >= 0; i-- {
		if member[i] == '.' {
			return member[:i]
		}
	}
	return ""
}

// MemberPosition is where a member of op's policy was set, or the nearest place that is known: where op was decided, or op
// itself.
func (op *Operation) MemberPosition(member string) Position {
	if origin, ok := op.Origins.Find(member); ok && origin.Pos.IsValid() {
		return origin.Pos
	}
	if op.DecidedAt.IsValid() {
		return op.DecidedAt
	}
	return op.Pos
}
