package generator_test

import (
	"context"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/idemgen/idemgen/generator"
	"github.com/idemgen/idemgen/generator/audit"
	"github.com/idemgen/idemgen/generator/compat"
	"github.com/idemgen/idemgen/generator/config"
	"github.com/idemgen/idemgen/generator/spec"
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

// BenchmarkReaders is what audit and diff do with large documents, beside what loading one with kin-openapi, origins on,
// takes alone. A round has each of them once, one after the other, and the ratios are those of the rounds. Square's document
// is not among them, as kin-openapi does not load it for a reference to nothing:
//
//	go test ./generator -run '^$' -bench Readers -benchtime 9x
func BenchmarkReaders(b *testing.B) {
	for _, name := range []string{"stripe_spec3.json", "github_api.github.com.json", "adyen_CheckoutService-v71.json"} {
		document := realspecs.File(b, "..", name)
		input := generator.Input{Config: config.Config{Spec: document, AcceptDeclared: true}}
		if name == "stripe_spec3.json" { // which declares no key
			input.Config.Overlays = []string{filepath.Join("..", "testdata", "realspecs", "stripe.overlay.yaml")}
		}
		options := spec.Options{File: document, Overlays: input.Config.Overlays, AcceptDeclared: true}
		doc, found, err := spec.Load(options)
		if err != nil {
			b.Fatal(err)
		}
		flows := []struct {
			name string
			run  func() error
		}{
			{"kin", func() error {
				loader := openapi3.NewLoader()
				loader.IncludeOrigin = true
				_, err := loader.LoadFromFile(document)
				return err
			}},
			{"audit", func() error {
				doc, found, err := spec.Load(options)
				if err == nil {
					audit.Run(doc, found)
				}
				return err
			}},
			{"audit-alone", func() error { audit.Run(doc, found); return nil }},
			{"diff", func() error {
				_, _, _, err := generator.Diff(generator.Version{Input: input}, generator.Version{Input: input})
				return err
			}},
			{"diff-alone", func() error { compat.Compare(doc, doc); return nil }},
		}
		b.Run(name, func(b *testing.B) {
			took := map[string][]float64{}
			for b.Loop() {
				var floor time.Duration
				for _, flow := range flows {
					runtime.GC() // nobody pays for what the one before has left
					start := time.Now()
					if err := flow.run(); err != nil {
						b.Fatal(err)
					}
					elapsed := time.Since(start)
					if flow.name == "kin" {
						floor = elapsed
						took["kin-ms"] = append(took["kin-ms"], float64(elapsed.Microseconds())/1000)
						continue
					}
					took[flow.name] = append(took[flow.name], float64(elapsed)/float64(floor))
				}
			}
			for what, all := range took {
				slices.Sort(all)
				b.ReportMetric(all[len(all)/2], what)
				b.ReportMetric(all[0], what+"-least")
				b.ReportMetric(all[len(all)-1], what+"-most")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}
