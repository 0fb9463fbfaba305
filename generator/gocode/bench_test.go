package gocode_test

import (
	"testing"

	"github.com/idemgen/idemgen/generator/gocode"
)

// BenchmarkGenerate generates the wrappers of each real document; loading is not counted.
func BenchmarkGenerate(b *testing.B) {
	for _, real := range realDocuments {
		b.Run(real.name, func(b *testing.B) {
			doc := loadReal(b, real.file, real.keyed)
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := gocode.Generate(doc, gocode.Options{Package: real.name, Dir: real.name}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
