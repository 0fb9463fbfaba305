package sqltext

import "testing"

// BenchmarkParse reads all statements of the tests; bytes per second are what counts for large schemas.
func BenchmarkParse(b *testing.B) {
	texts := corpus(b)
	size := 0
	for _, text := range texts {
		size += len(text)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, text := range texts {
			Parse(text)
		}
	}
}
