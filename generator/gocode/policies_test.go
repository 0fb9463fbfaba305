package gocode

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/policy"
)

// notWritten are the members of a policy that a wrapper's literal leaves out, and why.
var notWritten = map[string]string{
	"Policy.Note": "for the page",
	"Guard.Pos":   "where it stands is for diagnostics",
}

// A member that is added to the policy must reach the literal, or stand in the list above.
func TestPolicyLiteral_HasEveryMember(t *testing.T) {
	var p policy.Policy
	var names []string
	fill(reflect.ValueOf(&p).Elem(), &names)
	written := fmt.Sprintf("%#v", policyLiteral(&p))
	for _, name := range names {
		_, member, _ := strings.Cut(name, ".")
		if got := strings.Contains(written, member+":"); got == (notWritten[name] != "") {
			t.Errorf("%s: written is %v\n%s", name, got, written)
		}
	}
}

// What the runtime answers by itself is left out; a member that differs is written, and no other.
func TestPolicyLiteral_LeavesOutTheRuntimesAnswers(t *testing.T) {
	p := policy.Policy{Profile: "ietf", Errors: runtime.DefaultErrors()}
	if written := fmt.Sprintf("%#v", policyLiteral(&p)); strings.Contains(written, "Errors") {
		t.Errorf("the defaults are written: %s", written)
	}
	p.Errors.Mismatch.Status = 400
	p.Errors.Shape = "stripe"
	written := fmt.Sprintf("%#v", policyLiteral(&p))
	for text, want := range map[string]bool{"Mismatch": true, "Status: 400": true, `Shape: "stripe"`: true, "Type:": false, "Missing": false} {
		if strings.Contains(strings.Join(strings.Fields(written), " "), text) != want {
			t.Errorf("%s: written is %v\n%s", text, !want, written)
		}
	}
}

// fill sets every member to something, and notes its name as Type.Member.
func fill(v reflect.Value, names *[]string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("text")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), names)
	case reflect.Struct:
		for i := range v.NumField() {
			name := v.Type().Name() + "." + v.Type().Field(i).Name
			*names = append(*names, name)
			if notWritten[name] == "" {
				fill(v.Field(i), names)
			}
		}
	default:
		panic("a policy has a member of kind " + v.Kind().String())
	}
}

func TestDuration(t *testing.T) {
	for _, c := range []struct {
		value time.Duration
		want  string
	}{
		{24 * time.Hour, "24 * time.Hour"}, {time.Hour, "time.Hour"}, {90 * time.Minute, "90 * time.Minute"}, {5 * time.Second, "5 * time.Second"},
		{1500 * time.Millisecond, "1500 * time.Millisecond"}, {1, "1 * time.Nanosecond"},
	} {
		if got := fmt.Sprintf("%#v", duration(c.value)); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func TestSize(t *testing.T) {
	for _, c := range []struct {
		value int64
		want  string
	}{{1 << 20, "1 << 20"}, {64 << 10, "64 << 10"}, {3 << 30, "3 << 30"}, {1000, "1000"}, {1500000, "1500000"}} {
		if got := fmt.Sprintf("%#v", size(c.value)); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// A policy that several operations have is written once, whatever differs in what is not written.
func TestSharePolicies(t *testing.T) {
	first := &operation{op: &policy.Operation{Policy: policy.Policy{
		Retention: time.Hour, Note: "a", Guards: []policy.Guard{{Table: "t", Pos: policy.Position{Line: 1}}}}}}
	same := &operation{op: &policy.Operation{Policy: policy.Policy{
		Retention: time.Hour, Note: "b", Guards: []policy.Guard{{Table: "t", Pos: policy.Position{Line: 2}}}}}}
	other := &operation{op: &policy.Operation{Policy: policy.Policy{Retention: time.Minute}}}
	p := &plan{names: newScope("sharedPolicy"), operations: []*operation{first, other, same}}
	p.sharePolicies()
	for _, o := range []*operation{first, same} {
		if got := fmt.Sprintf("%#v", o.policy()); got != "sharedPolicy2" {
			t.Errorf("got %s", got)
		}
	}
	if got := fmt.Sprintf("%#v", other.policy()); !strings.Contains(got, "time.Minute") {
		t.Errorf("got %s", got)
	}
	if len(p.shared) != 1 || p.shared[0].policy != &first.op.Policy {
		t.Errorf("got %+v", p.shared)
	}
}

// What does not parse is the generator's mistake; the lines around it are shown, not the whole source.
func TestFinish_Explains(t *testing.T) {
	f := newFile(Options{Package: "p"})
	for range 50 {
		f.Func().Id("fine").Params().Block()
	}
	f.Add(jen.Id("func broken("))
	_, err := finish(Options{}, []source{{"bad.go", f}})
	if err == nil || !strings.Contains(err.Error(), "bad.go: ") || !strings.Contains(err.Error(), "broken") || strings.Count(err.Error(), "fine") > 5 {
		t.Errorf("got %v", err)
	}
}

func TestGroupImports(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"package p\n\nimport (\n\ta \"a.b/c\"\n\t\"fmt\"\n)\n\nvar x int\n", "package p\n\nimport (\n\t\"fmt\"\n\n\ta \"a.b/c\"\n)\n\nvar x int\n"},
		{"package p\n\nimport (\n\t\"errors\"\n\t\"fmt\"\n)\n", "package p\n\nimport (\n\t\"errors\"\n\t\"fmt\"\n)\n"},
		{"package p\n\nimport \"fmt\"\n", "package p\n\nimport \"fmt\"\n"},
		{"package p\n", "package p\n"},
	} {
		if got := string(groupImports([]byte(c.src))); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
