package main

import (
	"strings"
	"testing"

	"github.com/idemgen/idemgen/generator/compat"
)

// Of long values the part is shown in which they differ: their beginnings are alike, and what was added stood behind the cut.
func TestTold_LongValuesFromWhereTheyDiffer(t *testing.T) {
	call := "[{name: card, step: pay, header: Idempotency-Key, format: uuid5}, {name: bank, step: send, header: Idempotency-Key, format: uuid5}"
	for _, c := range []struct{ before, after, want string }{
		{"PT24H", "PT12H", "m: PT24H -> PT12H"},
		{"", "PT12H", "m: none -> PT12H"},
		{call + "]", call + ", {name: mailer, step: notify}]", "m: …format: uuid5}] -> …format: uuid5}, {name: mailer, step: notify}]"},
		{"[402, 409]", "[402, 403, " + strings.Repeat("410, ", 30) + "499]", "m: …409] -> …403, " + strings.Repeat("410, ", 22) + "410,…"},
		{strings.Repeat("x", 130), strings.Repeat("x", 130) + "y", "m: …" + strings.Repeat("x", 20) + " -> …" + strings.Repeat("x", 20) + "y"},
		{strings.Repeat("ü", 130) + "a", strings.Repeat("ü", 130) + "b", "m: …" + strings.Repeat("ü", 20) + "a -> …" + strings.Repeat("ü", 20) + "b"},
	} {
		if got := told(compat.Change{Member: "m", Old: c.before, New: c.after}); got != c.want {
			t.Errorf("\n got %s\nwant %s", got, c.want)
		}
	}
}
