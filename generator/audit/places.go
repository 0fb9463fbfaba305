package audit

import (
	"slices"
	"sort"

	"github.com/idemgen/idemgen/runtime/policy"
)

// places says which operation a place belongs to: what begins there, or the last one that begins before it in its file.
type places struct {
	exact map[policy.Position]int
	marks []mark
}

// mark is where something begins; the operation is -1 for what belongs to the whole document.
type mark struct {
	at policy.Position
	of int
}

func newPlaces(doc *policy.Document) *places {
	p := &places{exact: map[policy.Position]int{}}
	for i := range doc.Operations {
		op := &doc.Operations[i]
		p.mark(op.Pos, i)
		p.mark(op.DecidedAt, i)
		for _, key := range op.Declared {
			p.note(key.Pos, i)
		}
		for _, origin := range op.Origins {
			switch origin.Level {
			case policy.LevelDocument:
				p.mark(origin.Pos, -1)
			case policy.LevelOperation:
				p.note(origin.Pos, i)
			}
		}
	}
	slices.SortFunc(p.marks, func(a, b mark) int {
		switch {
		case a.at.Before(b.at):
			return -1
		case b.at.Before(a.at):
			return 1
		}
		return a.of - b.of
	})
	return p
}

func (p *places) mark(at policy.Position, of int) {
	if at.IsValid() {
		p.note(at, of)
		p.marks = append(p.marks, mark{at, of})
	}
}

// note keeps the first operation that a place belongs to; one that several share, a declared key, counts for the first.
func (p *places) note(at policy.Position, of int) {
	if known, ok := p.exact[at]; at.IsValid() && (!ok || known > of) {
		p.exact[at] = of
	}
}

// of is the index of the operation, -1 where it is the document.
func (p *places) of(at policy.Position) int {
	if of, ok := p.exact[at]; ok {
		return of
	}
	next := sort.Search(len(p.marks), func(i int) bool { return at.Before(p.marks[i].at) })
	if next == 0 || p.marks[next-1].at.File != at.File {
		return -1
	}
	return p.marks[next-1].of
}
