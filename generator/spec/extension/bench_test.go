package extension

import (
	"testing"

	"github.com/idemgen/idemgen/runtime/policy"
)

// BenchmarkResolve reads the whole full form on an operation and works out its policy.
func BenchmarkResolve(b *testing.B) {
	node := parse(b, fullForm)
	b.ReportAllocs()
	for b.Loop() {
		own, _ := DecodeMembers(node, at, nil, policy.LevelOperation)
		op := policy.Operation{Method: "POST", Path: "/payments"}
		Resolve(ResolveInput{Operation: &op, Own: own, At: at})
	}
}
