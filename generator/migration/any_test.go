package migration

import (
	"fmt"
	"path"
	"testing"

	"pgregory.net/rapid"
)

// Whatever lies in the folder, a run neither panics nor reuses a name, and after it a second one is silent.
func TestGenerate_AnyFolder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(
			rapid.StringMatching(`[0-9]{1,15}_[a-z]{0,5}(\.up|\.down)?\.(sql|go|txt)`),
			rapid.SampledFrom([]string{"atlas.sum", "README.md", "schema.sql", "001_.sql", "_x.sql", "20240101000000.sql"}),
		)
		content := rapid.OneOf(
			rapid.String(),
			rapid.StringMatching(`-- idemgen:(schema|guard|guard-index|table|dropped|renamed) [a-z0-9_]{0,9} ?(sha256:[0-9a-f]{64}|edited)?\n`),
			rapid.SampledFrom([]string{
				"-- idemgen:schema 1 edited\n", "-- idemgen:schema 99999999999999999999 edited\n", "-- idemgen:renamed idempotency_keys other\n",
				"-- idemgen:dropped idemgen_payments_account_id_idem_key_key\n", "-- idemgen:guard-index idemgen_payments_account_id_idem_key_key edited\n",
			}),
		)
		o := options(rapid.SampledFrom(Formats()).Draw(t, "format"))
		o.Guards = rapid.SampledFrom([]GuardStyle{AddConstraint, Concurrent}).Draw(t, "style")
		names := map[string]bool{}
		for i := range rapid.IntRange(0, 4).Draw(t, "files") {
			n := name.Draw(t, fmt.Sprintf("name %d", i))
			if !names[n] {
				names[n] = true
				o.Existing = append(o.Existing, Existing{Name: n, Content: []byte(content.Draw(t, fmt.Sprintf("content %d", i)))})
			}
		}

		files, findings, err := Generate(payments(), o)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if base := path.Base(file.Path); names[base] && base != atlasSumName {
				t.Fatalf("%s is there already", base)
			}
		}
		if findings.Err() != nil {
			return // the folder has to be mended first
		}
		o.Existing = kept(o.Existing, files)
		again, findings, err := Generate(payments(), o)
		if err != nil || len(again) > 0 || findings.Err() != nil {
			t.Fatalf("second run: %d files, %v, %v", len(again), findings, err)
		}
	})
}
