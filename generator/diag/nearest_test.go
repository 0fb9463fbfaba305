package diag

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	known := []string{"in", "name", "required", "maxLength", "minLength"}
	for text, want := range map[string]string{
		"maxLenght": "maxLength", "max_length": "maxLength", "MAXLENGTH": "maxLength", "requird": "required", "nmae": "name", //nolint:misspell // that is the point

		"colour": "", "x": "", "": "", strings.Repeat("a", 10_000): "",
	} {
		if got := Nearest(text, known); got != want {
			t.Errorf("%.20s: got %q, want %q", text, got, want)
		}
	}
}
