package spec

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/theory/jsonpath"
)

// The walk over the tree selects what the library selects on its own values.
func TestSelectNodes_AgreesWithTheLibrary(t *testing.T) {
	document := `{"paths":{"/a":{"get":{"id":"x","n":1,"tags":["t","u","v"]},"post":{"id":"y","deep":[[1,2],[3,[4,5]]]}},"/b'c":{"post":{"id":"z","n":2.5}}},"list":[0,1,2,3,4,5],"null":null}`
	root, failure := parseJSON(document, 1)
	if failure != nil {
		t.Fatal(failure)
	}
	for _, query := range []string{
		"$", "$.paths", "$.paths['/a'].post", `$.paths["/b'c"].post.id`, "$.paths.*", "$.paths.*.*", "$..id", "$..*", "$.paths.*[?@.n]",
		"$.paths.*[?@.n > 1]", "$.paths.*[?@.id == 'y' || @.n == 1]", "$.list[0]", "$.list[-1]", "$.list[9]", "$.list[1:4]", "$.list[::-1]",
		"$.list[4:0:-2]", "$.list[::2]", "$.list[?@ >= 3]", "$..[0]", "$..tags[1:]", "$.list[0,2,0]", "$.null", "$.nothing.at.all", "$.paths[0]",
		"$.list.a", "$..[?@.id == $.paths['/a'].get.id]", "$.paths[?match(@.post.id, 'y|z')]", "$.paths.*[?length(@.tags) == 3]", "$..deep..[1]", "$.list[?@ == null]",
	} {
		path, err := jsonpath.Parse(query)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		var got []string
		for _, at := range selectNodes(path, root) {
			got = append(got, canonical(t, plainValue(at.node)))
			if at.parent != nil && !slices.Contains(at.parent.Content, at.node) {
				t.Errorf("%s: a node is not among its parent's", query)
			}
		}
		var want []string
		for _, value := range path.Select(plainValue(root)) {
			want = append(want, canonical(t, value))
		}
		if strings.Contains(query, "*") || strings.Contains(query, "..") || strings.Contains(query, "?") {
			slices.Sort(got) // the order of an object's members is open
			slices.Sort(want)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s selects\n%v, want\n%v", query, got, want)
		}
	}
}

func canonical(t *testing.T, value any) string {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
