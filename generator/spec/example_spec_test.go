package spec_test

import (
	"fmt"

	"github.com/idemgen/idemgen/generator/spec"
)

// A document is read with its overlays; what is wrong is in the list, what cannot be read is the error.
func ExampleLoad() {
	doc, found, err := spec.Load(spec.Options{File: "testdata/load/basic/openapi.yaml"})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := found.Err(); err != nil {
		fmt.Println(err)
		return
	}
	for _, op := range doc.Keyed() {
		fmt.Println(op.Method, op.Path, "keeps keys for", op.Policy.Retention)
		fmt.Println("decided at", op.DecidedAt)
	}
	// Output:
	// POST /payments/{id}/refunds keeps keys for 48h0m0s
	// decided at testdata/load/basic/openapi.yaml:14:9
}

// Each finding says where it is and how to mend it.
func ExampleLoad_findings() {
	_, found, _ := spec.Load(spec.Options{File: "testdata/load/dangling/openapi.yaml"})
	for _, d := range found[1:2] {
		fmt.Println(d.Severity, d)
		fmt.Println(d.Hint)
	}
	// Output:
	// warning testdata/load/dangling/openapi.yaml:14:27: the reference "#/components/parameters/Gone" leads nowhere (dangling-ref)
	// add what it names, or mend the reference
}

func ExampleApplyOverlays() {
	result, err := spec.ApplyOverlays("testdata/apply/spec.json", spec.Overlay{Name: "inline", Content: []byte(`
overlay: 1.0.0
info: {title: Only the title, version: 1.0.0}
actions:
  - target: $.paths
    remove: true
  - target: $.info
    update: {title: Payments}
`)})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(string(result))
	// Output:
	// {
	//     "openapi": "3.0.3",
	//     "info": {
	//         "title": "Payments",
	//         "version": "1.0",
	//         "x-number": 12345678901234567890.10
	//     }
	// }
}
