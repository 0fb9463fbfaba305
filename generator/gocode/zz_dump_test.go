package gocode

import ("testing";"github.com/idemgen/idemgen/generator/spec";"os";"path/filepath";"fmt")

func TestZZ(t *testing.T) {
	m := module{"/tmp/rtmod"}
	os.RemoveAll(m.dir)
	root, _ := filepath.Abs("../..")
	os.MkdirAll(m.dir, 0o755)
	os.WriteFile("/tmp/rtmod/go.mod", []byte("module example.com/generated\n\ngo 1.25.0\n"), 0o644)
	os.WriteFile("/tmp/rtmod/go.work", []byte("go 1.25.0\n\nuse (\n\t.\n\t\""+root+"\"\n)\n"), 0o644)
	for _, real := range roundTripDocuments {
		o := spec.Options{File: "../../../shared/specs/" + real.file, AcceptDeclared: true}
		if real.keyed != nil { o.Overlays = []string{overlayFor(t, real.keyed)} }
		doc, _, err := spec.Load(o)
		if err != nil { t.Fatal(err) }
		p := newPlan(doc, Options{Package: real.name})
		none := 0
		for i, op := range p.operations {
			trip, why := p.planRoundTrip(op, i)
			if why != "" { fmt.Println(real.name, op.name, why); continue }
			if trip.other == nil { none++; fmt.Println("no other:", real.name, op.name) }
			if trip.answer.content != nil && trip.answer.kind == jsonMedia && answerDocument(trip.answer, 1<<20) == nil { fmt.Println("zero answer:", real.name, op.name, trip.answer.name) }
		}
		m.write(t, generateWithTest(t, doc, Options{Package: real.name, Dir: real.name}))
	}
	m.write(t, generateWithTest(t, small(t), Options{Package: "small", Dir: "small"}))
}
