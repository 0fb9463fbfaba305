package runtime

import (
	"net/http"
	"testing"
	"time"
)

// What is taken for a date is one that is written in that way only, and net/http takes it for the same.
func FuzzFirstSentTime(f *testing.F) {
	for _, text := range []string{
		"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Mon, 06 Nov 1994 08:49:37 GMT",
		"Sun, 06 Nov 1994 08:49:37.5 GMT", "Thu, 01 Jan 1970 00:00:00 GMT", "Sat, 01 Jan 0000 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "Mon, 01 Jan 0001 00:00:00 GMT", "",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at, err := firstSentTime([]string{text})
		if err != nil {
			if !at.IsZero() {
				t.Errorf("%q is refused and read as %v", text, at)
			}
			return
		}
		trimmed := at.UTC().Format(http.TimeFormat)
		if len(trimmed) != 29 || !sameWithout(text, trimmed) {
			t.Errorf("%q is read as %s", text, trimmed)
		}
		if known, err := http.ParseTime(trimmed); err != nil || !known.Equal(at) {
			t.Errorf("%q is %v, and %v to net/http (%v)", text, at, known, err)
		}
		if at.Nanosecond() != 0 || at.Location() != time.UTC {
			t.Errorf("%q is read as %v", text, at)
		}
	})
}

// sameWithout compares a header's value with want, but for the white space around it.
func sameWithout(value, want string) bool {
	for len(value) > 0 && (value[0] == ' ' || value[0] == '\t') {
		value = value[1:]
	}
	for len(value) > 0 && (value[len(value)-1] == ' ' || value[len(value)-1] == '\t') {
		value = value[:len(value)-1]
	}
	return value == want
}
