package policydoc

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/runtime/policy"
)

// Row is an operation in the table of all operations.
type Row struct {
	Entry
	// Kind is one of keyed, natural, conditional, unsafe and undecided.
	Kind string
	// Repeat says whether the operation can be repeated; Key, Kept and InFlight are those of a keyed one.
	Repeat        Sentence
	Key, InFlight Sentence
	Kept          string
}

// Area is the rows of one part of the API, by the first word of their paths.
type Area struct {
	// ID is the fragment of its place in the table. Name is empty where the table is short enough to have no parts.
	ID   string
	Name Text
	Rows []Row
}

// Count is how many rows are of a kind.
type Count struct {
	Kind, Words string
	Rows        int
}

// shortTable is how many rows are read without headings between them.
const shortTable = 24

func newRow(op *policy.Operation, entry Entry) Row {
	row := Row{Entry: entry, Kind: kindOf(op.Decision), Key: say("–"), InFlight: say("–"), Kept: "–"}
	switch op.Decision {
	case policy.Keyed:
		p := &op.Policy
		row.Repeat, row.Key = say("yes, with its key"), say("{}, required", where(p.Key))
		if !p.Key.Required {
			row.Repeat, row.Key = say("yes, if it has a key"), say("{}, optional", where(p.Key))
		}
		row.Kept, row.InFlight = inWords(p.Retention), inFlightBriefly(p)
	case policy.Natural:
		row.Repeat, row.Key = say("yes"), say("none needed")
	case policy.Conditional:
		row.Repeat, row.Key = say("yes, with {}", code(op.Condition)), say("none")
	case policy.NotRepeatable:
		row.Repeat, row.Key = say("no"), say("none")
	default:
		row.Repeat, row.Key = say("not stated"), say("none")
	}
	return row
}

func kindOf(decision policy.Decision) string {
	switch decision {
	case policy.Undecided:
		return "undecided"
	case policy.NotRepeatable:
		return "unsafe"
	default:
		return string(decision)
	}
}

// inFlightBriefly is what a repetition gets while the first request is at work.
func inFlightBriefly(p *policy.Policy) Sentence {
	if p.InFlight.Answer == policy.Wait {
		return say("waits up to {}, then {}", inWords(p.InFlight.MaxWait), status(p.Errors.InFlight))
	}
	return say("{} at once", status(p.Errors.InFlight))
}

// areas puts the rows of a long table under headings, in the order in which each comes first.
func areas(rows []Row) []Area {
	if len(rows) == 0 {
		return nil
	}
	if len(rows) <= shortTable {
		return []Area{{ID: "page_area_1", Rows: rows}}
	}
	var list []Area
	for _, row := range rows {
		name := Text(areaName(row))
		i := slices.IndexFunc(list, func(a Area) bool { return a.Name == name })
		if i < 0 {
			i = len(list)
			list = append(list, Area{ID: fmt.Sprintf("page_area_%d", i+1), Name: name})
		}
		list[i].Rows = append(list[i].Rows, row)
	}
	return list
}

var versionStep = regexp.MustCompile(`^(?:api|v?\d+(?:[.-]\d+)*(?:alpha\d*|beta\d*)?)$`)

// areaName is the first step of a path that is neither a version nor a parameter.
func areaName(row Row) string {
	if row.Webhook {
		return "Webhooks"
	}
	_, path, _ := strings.Cut(row.Call.Raw(), " ")
	for step := range strings.SplitSeq(path, "/") {
		if step != "" && !strings.ContainsAny(step, "{}") && !versionStep.MatchString(step) {
			return step
		}
	}
	return "Others"
}

// counts are the kinds that the rows have, for links that show one kind alone.
func counts(rows []Row) []Count {
	list := []Count{
		{Kind: "keyed", Words: "with a key"}, {Kind: "natural", Words: "safe as they are"}, {Kind: "conditional", Words: "with a condition"},
		{Kind: "unsafe", Words: "not safe"}, {Kind: "undecided", Words: "not stated"},
	}
	for i := range list {
		for _, row := range rows {
			if row.Kind == list[i].Kind {
				list[i].Rows++
			}
		}
	}
	return slices.DeleteFunc(list, func(c Count) bool { return c.Rows == 0 })
}
