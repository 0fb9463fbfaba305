package policydoc

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/runtime/policy"
)

func TestFlows_OneForEachWayToRepeat(t *testing.T) {
	keyed := func(mode policy.Mode, calls ...policy.Downstream) policy.Operation {
		return policy.Operation{Decision: policy.Keyed, Policy: policy.Policy{Mode: mode, Downstream: calls}}
	}
	for name, c := range map[string]struct {
		operations []policy.Operation
		want       string
	}{
		"nothing":      {nil, ""},
		"natural":      {[]policy.Operation{{Decision: policy.Natural}}, ""},
		"transaction":  {[]policy.Operation{keyed(policy.Transaction), keyed(policy.Transaction)}, "page_flow_key/2"},
		"steps":        {[]policy.Operation{keyed(policy.LeaseMode)}, "page_flow_steps/2"},
		"calls":        {[]policy.Operation{keyed(policy.LeaseMode), keyed(policy.LeaseMode, policy.Downstream{Name: "bank"})}, "page_flow_steps/3"},
		"condition":    {[]policy.Operation{{Decision: policy.Conditional}}, "page_flow_condition/2"},
		"all of these": {[]policy.Operation{{Decision: policy.Conditional}, keyed(policy.LeaseMode), keyed(policy.Transaction)}, "page_flow_key/2 page_flow_steps/2 page_flow_condition/2"},
	} {
		var got []string
		for _, flow := range flows(&policy.Document{Operations: c.operations}) {
			got = append(got, flow.ID+"/"+string(rune('0'+len(flow.Parties))))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: got %v, want %s", name, got, c.want)
		}
	}
}

// A drawing is XML whose parts all lie within it; a screen reader gets its title and each step, in words.
func TestFlow_SVGIsWholeAndTold(t *testing.T) {
	for _, flow := range []Flow{atOnceFlow(), stepsFlow(false), stepsFlow(true), conditionFlow()} {
		drawn := string(flow.SVG())
		texts := map[string][]string{}
		var inside []string
		decoder := xml.NewDecoder(strings.NewReader(drawn))
		for {
			token, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v\n%s", flow.ID, err, drawn)
			}
			switch token := token.(type) {
			case xml.StartElement:
				inside = append(inside, token.Name.Local)
			case xml.EndElement:
				inside = inside[:len(inside)-1]
			case xml.CharData:
				name := inside[len(inside)-1]
				texts[name] = append(texts[name], string(token))
			}
		}
		if strings.Join(texts["title"], "") != flow.Title {
			t.Errorf("%s: its title is %v", flow.ID, texts["title"])
		}
		labels := strings.Join(texts["text"], " ")
		for _, party := range flow.Parties {
			if !strings.Contains(labels, party) {
				t.Errorf("%s does not show %s", flow.ID, party)
			}
		}
		for _, step := range flow.Steps {
			if !strings.Contains(labels, step.Label) {
				t.Errorf("%s does not show %q", flow.ID, step.Label)
			}
			if !strings.Contains(strings.Join(texts["desc"], ""), step.Text.Plain()) {
				t.Errorf("%s does not tell %q", flow.ID, step.Text.Plain())
			}
			if step.From >= len(flow.Parties) || step.To >= len(flow.Parties) {
				t.Errorf("%s: %q is between parties that are not there", flow.ID, step.Label)
			}
		}
	}
}

func TestWrap(t *testing.T) {
	for label, want := range map[string]string{"": "", "one": "one", "one two": "one two", "one two three": "one two|three", "extraordinary one": "extraordinary|one"} {
		if got := strings.Join(wrap(label, 8), "|"); got != want {
			t.Errorf("%q: got %q, want %q", label, got, want)
		}
	}
}
