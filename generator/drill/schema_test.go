package drill

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/idemgen/idemgen/internal/schematest"
)

// A report is what its schema describes, and nothing else.
func TestReport_FollowsItsSchema(t *testing.T) {
	schema := schematest.Closed(t, "../../docs/schema/drill-v1.schema.json", SchemaURL)
	over, stop := context.WithCancel(t.Context())
	stop()
	for fault, ctx := range map[string]context.Context{"": t.Context(), "any key": t.Context(), "no memory": over} {
		report, err := Run(ctx, planFor(t, newBank(fault), operation("createPayment", "/payments")))
		if err != nil {
			t.Fatal(err)
		}
		written, err := json.Marshal(report)
		if err != nil {
			t.Fatal(err)
		}
		if err := schematest.Validate(schema, written); err != nil {
			t.Errorf("%v\n%s", err, written)
		}
		var named map[string]any
		if err := json.Unmarshal(written, &named); err != nil {
			t.Fatal(err)
		}
		if got := named["$schema"]; got != SchemaURL {
			t.Errorf("it names the schema %v", got)
		}
	}
}
