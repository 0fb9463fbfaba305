package main

import (
	"bytes"
	"testing"
)

func TestPrintDiff(t *testing.T) {
	const diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\x1b[2J\n+new\n same\n\\ No newline at end of file\n"
	for _, test := range []struct {
		name             string
		colour, terminal bool
		want             string
	}{
		{"piped", false, false, diff},
		{"terminal without colour", false, true, "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\uFFFD[2J\n+new\n same\n\\ No newline at end of file\n"},
		{"terminal", true, true, "\x1b[1m--- a/x\x1b[0m\n\x1b[1m+++ b/x\x1b[0m\n\x1b[1;36m@@ -1 +1 @@\x1b[0m\n\x1b[1;31m-old\uFFFD[2J\x1b[0m\n\x1b[1;32m+new\x1b[0m\n same\n\\ No newline at end of file\n"},
	} {
		var text bytes.Buffer
		printDiff(&text, diff, test.colour, test.terminal)
		if got := text.String(); got != test.want {
			t.Errorf("%s:\n got %q\nwant %q", test.name, got, test.want)
		}
	}
}
