package report

import (
	"reflect"
	"testing"
)

func TestCategories(t *testing.T) {
	doc := "find\n\n# What it reports\n\n  - one-thing (error): a thing\n    and more of it.\n  - other (warning or info): else\n\nSome prose.\n\n# Why\n\n  - not-this (error): no"
	want := []Category{{"one-thing", []Severity{Error}, "a thing and more of it."}, {"other", []Severity{Warning, Info}, "else"}}
	if got := Categories(doc); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	if got := Categories("nothing"); got != nil {
		t.Errorf("got %+v", got)
	}
}
