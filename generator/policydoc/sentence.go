package policydoc

import (
	"encoding/json"
	"strings"
)

// Sentence is prose with values in it. Its own words are ours; the values may come from a spec and are made safe for
// where the sentence is printed.
type Sentence struct{ spans []span }

type span struct {
	text    string
	kind    spanKind
	address string // of what is linked
}

type spanKind byte

const (
	ours    spanKind = iota // our own words, plain CommonMark text
	foreign                 // text of a spec
	literal                 // a value to be written exactly so
	linked                  // our own words that lead somewhere
)

// leadsTo are words of ours that link to an address of ours.
type leadsTo struct{ words, address string }

// code is a value that stands in a sentence exactly as a client has to write it.
type code string

// say builds a sentence: each {} in format is replaced by the next value, a string, a code, a leadsTo or another Sentence.
func say(format string, values ...any) Sentence {
	var s Sentence
	for i, words := range strings.Split(format, "{}") {
		if i > 0 {
			s.add(values[i-1])
		}
		if words != "" {
			s.spans = append(s.spans, span{text: words})
		}
	}
	return s
}

func (s *Sentence) add(value any) {
	switch value := value.(type) {
	case code:
		s.spans = append(s.spans, span{text: string(value), kind: literal})
	case string:
		s.spans = append(s.spans, span{text: value, kind: foreign})
	case leadsTo:
		s.spans = append(s.spans, span{value.words, linked, value.address})
	case Sentence:
		s.spans = append(s.spans, value.spans...)
	default:
		panic("policydoc: a sentence takes strings, codes, links and sentences only")
	}
}

// listed joins values as "a, b or c".
func listed(conjunction string, values []string) Sentence {
	var s Sentence
	for i, value := range values {
		switch {
		case i == 0:
		case i == len(values)-1:
			s.spans = append(s.spans, span{text: " " + conjunction + " "})
		default:
			s.spans = append(s.spans, span{text: ", "})
		}
		s.add(code(value))
	}
	return s
}

// paragraph joins sentences with spaces.
func paragraph(sentences ...Sentence) Sentence {
	var all Sentence
	for _, s := range sentences {
		if len(s.spans) == 0 {
			continue
		}
		if len(all.spans) > 0 {
			all.spans = append(all.spans, span{text: " "})
		}
		all.spans = append(all.spans, s.spans...)
	}
	return all
}

// String is the sentence as inline Markdown that is safe in a table cell too.
func (s Sentence) String() string {
	var out strings.Builder
	for _, one := range s.spans {
		switch one.kind {
		case ours:
			out.WriteString(one.text)
		case foreign:
			out.WriteString(Text(one.text).String())
		case literal:
			out.WriteString(Code(one.text).String())
		case linked:
			out.WriteString("[" + one.text + "](" + one.address + ")")
		}
	}
	return out.String()
}

// Plain is the sentence without any markup.
func (s Sentence) Plain() string {
	var out strings.Builder
	for _, one := range s.spans {
		text := one.text
		if one.kind == foreign || one.kind == literal {
			text = oneLine(text)
		}
		out.WriteString(text)
	}
	return out.String()
}

// MarshalJSON writes the plain sentence.
func (s Sentence) MarshalJSON() ([]byte, error) { return json.Marshal(s.Plain()) }
