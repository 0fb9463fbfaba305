package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/drill"
)

// drillPrinter prints the table of a drill while it is filled in, with a line under it that says how far it is, and the
// evidence at the end.
type drillPrinter struct {
	out    io.Writer
	colour bool
	line   *progress
	last   string         // the operation whose heading was printed last
	why    string         // why its last promise could not be tested, until one has another outcome or reason
	found  map[string]int // which result of the drill the promise of an operation was, by foundAs
}

var outcomeStyles = map[drill.Outcome]style{drill.Kept: green, drill.Broken: red, drill.NotTestable: dim, drill.Skipped: dim}

// event prints a heading or a row above the line.
func (p *drillPrinter) event(e drill.Event) {
	p.line.say(fmt.Sprintf("%s: %d of %d promises, %d requests", e.Operation.ID, e.Done, e.Promises, e.Requests))
	p.line.above(func() { p.row(e) })
}

func (p *drillPrinter) row(e drill.Event) {
	if p.last != e.Operation.ID {
		p.last, p.why = e.Operation.ID, ""
		fmt.Fprintf(p.out, "\n%s  %s\n", paint(p.colour, bold, visible(e.Operation.ID, keepNothing)), visible(e.Operation.Method+" "+e.Operation.Path, keepNothing))
	}
	if e.Result == nil {
		return
	}
	row := fmt.Sprintf("  %s  %-20s", paint(p.colour, outcomeStyles[e.Result.Outcome], fmt.Sprintf("%-12s", e.Result.Outcome)), visible(e.Result.Promise, keepNothing))
	if p.found == nil {
		p.found = map[string]int{}
	}
	p.found[foundAs(e.Operation.ID, e.Result.Promise)] = len(p.found)
	why := e.Result.Why
	if e.Result.Outcome != drill.NotTestable {
		p.why = ""
	} else if why != "" && why == p.why {
		why = "(the same)"
	} else {
		p.why = why
	}
	if why != "" {
		row += "  " + paint(p.colour && e.Result.Outcome != drill.Broken, dim, visible(why, keepNothing))
	}
	fmt.Fprintln(p.out, strings.TrimRight(row, " "))
}

// foundAs is what a promise of an operation is kept under.
func foundAs(operation, promise string) string { return operation + "\x00" + promise }

// end prints what was sent and what came for each broken promise, and the numbers.
func (p *drillPrinter) end(r *drill.Report) {
	for i := range r.Operations {
		id := r.Operations[i].ID
		results := slices.Clone(r.Operations[i].Results)
		slices.SortStableFunc(results, func(a, b drill.Result) int {
			return p.found[foundAs(id, a.Promise)] - p.found[foundAs(id, b.Promise)]
		})
		for _, result := range results {
			if result.Outcome != drill.Broken {
				continue
			}
			fmt.Fprintf(p.out, "\n%s %s of %s\n  promised: %s\n  but:      %s\n", paint(p.colour, red, "broken:"), visible(result.Promise, keepNothing),
				visible(id, keepNothing), visible(result.Text, keepNothing), visible(result.Why, keepNothing))
			for _, e := range result.Evidence {
				fmt.Fprintf(p.out, "  sent\n%s\n  came\n%s\n", indented(e.Request), indented(e.Answer))
			}
		}
	}
	fmt.Fprintf(p.out, "\n%d kept, %d broken, %d not testable, %d skipped; %d requests in %.1f s\n",
		r.Count(drill.Kept), r.Count(drill.Broken), r.Count(drill.NotTestable), r.Count(drill.Skipped), r.Requests, r.Seconds)
	if unseen := unseen(r); len(unseen) > 0 {
		fmt.Fprintf(p.out, "Nothing could be tested of %s.\n", visible(strings.Join(unseen, ", "), keepNothing))
	}
	if r.Stopped != "" {
		fmt.Fprintf(p.out, "The drill did not come to its end: %s.\n", r.Stopped)
	}
}

// unseen are the operations of which no promise was seen to be kept or broken, although one was chosen.
func unseen(r *drill.Report) []string {
	var ids []string
	for i := range r.Operations {
		op := &r.Operations[i]
		tried, seen := false, false
		for _, result := range op.Results {
			tried = tried || result.Outcome == drill.NotTestable
			seen = seen || result.Outcome == drill.Kept || result.Outcome == drill.Broken
		}
		if tried && !seen {
			ids = append(ids, op.ID)
		}
	}
	return ids
}

// indented sets a message off. The bar keeps a line of it from being read as a command, as GitHub reads one that begins
// with two colons, wherever it is printed.
func indented(text string) string {
	lines := strings.Split(visible(text, keepLayout), "\n")
	return "    | " + strings.Join(lines, "\n    | ")
}

// drillGitHub prints broken promises as annotations.
func drillGitHub(out io.Writer, r *drill.Report) {
	for i := range r.Operations {
		for _, result := range r.Operations[i].Results {
			if result.Outcome == drill.Broken {
				fmt.Fprintf(out, "::error title=%s::%s\n",
					githubProperty.Replace(visible("idemgen drill: "+result.Promise+" of "+r.Operations[i].ID, keepNothing)), githubData.Replace(visible(result.Text+"\n"+result.Why, keepLayout)))
			}
		}
	}
}
