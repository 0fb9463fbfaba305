package gocode

import (
	"cmp"
	"slices"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/runtime/policy"
)

// plan is everything that is generated, decided and named, before any of it is written.
type plan struct {
	doc      *policy.Document
	options  Options
	warnings diag.List

	names      scope // the generated package's own identifiers
	operations []*operation
	shared     []*shared // the policies that several operations have, in the order of the document
	mounts     []*mount
	types      []*typ // the types with a name or a function of their own, sorted by name
	hidden     bool   // while what a type of the user's is made of is planned
	patterns   []pattern

	bySchema  map[*policy.Schema]*typ
	component map[*policy.Schema]string // names of the document's named schemas
	reach     *reach
}

// The names of the generated package that do not depend on the document.
var ownNames = []string{"Handlers", "Register"}

func newPlan(doc *policy.Document, o Options) *plan {
	p := &plan{
		doc:       doc,
		options:   o,
		names:     newScope(ownNames...),
		bySchema:  map[*policy.Schema]*typ{},
		component: map[*policy.Schema]string{},
		reach:     reachOf(doc),
	}
	p.nameOperations()
	p.nameComponents()
	for _, o := range p.operations {
		p.planRequest(o)
		p.planAnswers(o)
	}
	for _, o := range p.operations {
		o.markUsed()
	}
	p.sharePolicies()
	p.boxCycles()
	p.boxLarge()
	p.planRoutes()
	slices.SortStableFunc(p.types, func(a, b *typ) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.checker, b.checker))
	})
	return p
}
