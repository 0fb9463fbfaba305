package generator_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/idemgen/idemgen/generator"
	"github.com/idemgen/idemgen/generator/config"
	"github.com/idemgen/idemgen/internal/realspecs"
)

// BenchmarkStripe is a whole run on Stripe's document of 8 MB with ten operations keyed, beside what loading that document
// with kin-openapi, origins on, takes alone. The two are to be compared within one run:
//
//	go test ./generator -run '^$' -bench Stripe -count 6
func BenchmarkStripe(b *testing.B) {
	document := realspecs.File(b, "..", "stripe_spec3.json")
	settings, err := config.Default().With(config.Overrides{
		Spec: document, Overlays: []string{filepath.Join("..", "testdata", "realspecs", "stripe.overlay.yaml")}, Migrations: "goose",
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("generate", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			files, found, err := generator.Run(context.Background(), generator.Input{Config: settings})
			if err != nil || found.Err() != nil || len(files) == 0 {
				b.Fatal(len(files), found, err)
			}
		}
	})
	b.Run("kin-openapi", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			loader := openapi3.NewLoader()
			loader.IncludeOrigin = true
			if _, err := loader.LoadFromFile(document); err != nil {
				b.Fatal(err)
			}
		}
	})
}
