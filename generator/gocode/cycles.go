package gocode

// boxCycles puts a pointer wherever a record would contain itself by value: a required member, or a nullable one, that leads
// back to the record. Lists, maps and optional members are pointers already. A pointer is also where a reader or checker
// stops at what is absent, so the members of a user's types are boxed too.
func (p *plan) boxCycles() {
	c := &cycles{index: map[*typ]int{}, low: map[*typ]int{}, component: map[*typ]int{}}
	for _, t := range p.types {
		if c.index[t] == 0 {
			c.visit(t)
		}
	}
	for _, t := range p.types {
		for _, f := range t.fields {
			if f.slot.holdsValue() && c.component[f.slot.typ] == c.component[t] {
				f.slot.boxed = true
			}
		}
	}
}

// maxInline bounds how many members a record holds by value, those of the records in it counted too. Doubling nested records
// would otherwise make a type that is larger than memory, on which the compiler does not end.
const maxInline = 4096

// boxLarge puts a pointer wherever a record would grow beyond [maxInline]. No record contains itself by value any more.
func (p *plan) boxLarge() {
	members := map[*typ]int{}
	var count func(t *typ) int
	count = func(t *typ) int {
		if n, ok := members[t]; ok {
			return n
		}
		total := 0
		for _, f := range t.fields {
			total++
			if !f.slot.holdsValue() || f.slot.boxed {
				continue
			}
			inner := count(f.slot.typ)
			if total+inner > maxInline {
				f.slot.boxed = true
				continue
			}
			total += inner
		}
		members[t] = total
		return total
	}
	for _, t := range p.types {
		count(t)
	}
}

// holdsValue reports whether the slot's value lies within what holds the slot.
func (s slot) holdsValue() bool {
	return s.typ.shape == record && (s.wrap == plain || s.wrap == tri)
}

// cycles finds the strongly connected components of records that hold each other by value (Tarjan).
type cycles struct {
	index, low, component map[*typ]int
	stack                 []*typ
	count, components     int
}

func (c *cycles) visit(t *typ) {
	c.count++
	c.index[t], c.low[t] = c.count, c.count
	c.stack = append(c.stack, t)
	for _, f := range t.fields {
		if !f.slot.holdsValue() {
			continue
		}
		switch next := f.slot.typ; {
		case c.index[next] == 0:
			c.visit(next)
			c.low[t] = min(c.low[t], c.low[next])
		case c.component[next] == 0:
			c.low[t] = min(c.low[t], c.index[next])
		}
	}
	if c.low[t] != c.index[t] {
		return
	}
	c.components++
	for {
		last := c.stack[len(c.stack)-1]
		c.stack = c.stack[:len(c.stack)-1]
		c.component[last] = c.components
		if last == t {
			return
		}
	}
}
