package wire

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// tree is a model that holds itself, in each way that a generated one can.
type tree struct {
	Left  *tree
	Right *tree
	Maybe Nullable[*tree]
	List  []tree
	Named map[string]tree
}

func readTree(v Value) (m tree) {
	o := v.Object()
	m.Left = Optional(o.Member("left"), readTree)
	m.Right = OptionalOrNull(o.Member("right"), readTree)
	m.Maybe = ReadNullable(o.Member("maybe"), func(v Value) *tree { return Ref(readTree(v)) })
	m.List = List(o.Member("list"), readTree)
	m.Named = Map(o.Member("named"), readTree)
	return m
}

// A value of another type than the model's is reported, and not read as a model without end.
func TestReaders_EndOnRecursiveModels(t *testing.T) {
	for _, body := range []string{
		`5`, `"x"`, `[]`, `true`, `null`, `{"left":5}`, `{"right":"x"}`, `{"maybe":[]}`, `{"list":5}`, `{"list":[5]}`, `{"named":5}`,
		`{"named":{"a":5}}`, `{"left":{"right":{"maybe":{"list":[{"named":{"a":{"left":7}}}]}}}}`,
	} {
		request := httptest.NewRequest("POST", "/", strings.NewReader(body))
		request.Header.Set("Content-Type", "application/json")
		in := NewReader(request, []byte(body))
		in.Content(true, "application/json")
		readTree(in.JSON())
		if in.Err() == nil {
			t.Errorf("%s is taken for a tree", body)
		}
	}
}
