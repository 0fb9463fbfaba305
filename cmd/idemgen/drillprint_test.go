package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/generator/drill"
)

// A reason that holds for many promises in a row is written once, and an operation of which nothing was seen is named at
// the end: otherwise "0 broken" is read as "all is well".
func TestDrillPrint_OneReasonForMany(t *testing.T) {
	lost := func(promise, why string) drill.Result {
		return drill.Result{Promise: promise, Outcome: drill.NotTestable, Why: why}
	}
	report := &drill.Report{Operations: []drill.OperationReport{
		{ID: "create", Method: "POST", Path: "/orders", Results: []drill.Result{
			{Promise: "one-effect", Outcome: drill.Kept}, {Promise: "key-place", Outcome: drill.Kept, Why: "x"}, {Promise: "key-syntax", Outcome: drill.Kept, Why: "x"}, lost("retry", "advice"),
		}},
		{ID: "cancel", Method: "POST", Path: "/cancel", Results: []drill.Result{lost("one-effect", "404"), lost("in-flight", "404"), lost("replay", "404"), lost("retry", "advice")}},
		{ID: "left", Method: "POST", Path: "/left", Results: []drill.Result{{Promise: "one-effect", Outcome: drill.Skipped}}},
	}}
	var out bytes.Buffer
	s := newSession(&out, &out, func(string) (string, bool) { return "", false })
	p := &drillPrinter{out: &out, line: s.newProgress()}
	for i := range report.Operations {
		for j := range report.Operations[i].Results {
			p.event(drill.Event{Operation: &report.Operations[i], Result: &report.Operations[i].Results[j]})
		}
	}
	p.end(report)
	const want = `
create  POST /orders
  kept          one-effect
  kept          key-place             x
  kept          key-syntax            x
  not testable  retry                 advice

cancel  POST /cancel
  not testable  one-effect            404
  not testable  in-flight             (the same)
  not testable  replay                (the same)
  not testable  retry                 advice

left  POST /left
  skipped       one-effect

3 kept, 0 broken, 5 not testable, 1 skipped; 0 requests in 0.0 s
Nothing could be tested of cancel.
`
	if got := out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// What is broken is shown in the order in which it was found, which begins with work that was done twice.
func TestDrillPrint_BrokenAsFound(t *testing.T) {
	broken := func(promise string) drill.Result {
		return drill.Result{Promise: promise, Outcome: drill.Broken, Text: "x", Why: "y"}
	}
	report := &drill.Report{Operations: []drill.OperationReport{
		{ID: "create", Method: "POST", Path: "/orders", Results: []drill.Result{broken("key-required"), broken("key-length"), broken("one-effect")}},
	}}
	var out bytes.Buffer
	s := newSession(&out, &out, func(string) (string, bool) { return "", false })
	p := &drillPrinter{out: &out, line: s.newProgress()}
	op := &report.Operations[0]
	for _, i := range []int{2, 0, 1} {
		p.event(drill.Event{Operation: op, Result: &op.Results[i]})
	}
	out.Reset()
	p.end(report)
	var got []string
	for line := range strings.Lines(out.String()) {
		if _, rest, ok := strings.Cut(line, "broken: "); ok {
			got = append(got, strings.TrimSpace(rest))
		}
	}
	if want := []string{"one-effect of create", "key-required of create", "key-length of create"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
