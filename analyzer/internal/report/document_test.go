package report

import "testing"

func TestDoc(t *testing.T) {
	source := "// Package p defines an Analyzer.\n//\n// # Analyzer p\n//\n// p: find bugs\n//\n// More of it.\n//\n// # What it reports\n//\n// Bugs.\n//\n// # Analyzer q\n//\n// q: find others\npackage p\n"
	if got, want := Doc(source, "p"), "find bugs\n\nMore of it.\n\n# What it reports\n\nBugs."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Doc(source, "q"); got != "find others" {
		t.Errorf("got %q", got)
	}
	for _, none := range []string{"", "package p\n", "// # Analyzer p\npackage p\n", "// # Analyzer p\n//\n// q: x\npackage p\n"} {
		if got := Doc(none, "p"); got != "" {
			t.Errorf("%q gave %q", none, got)
		}
	}
}

func TestSection(t *testing.T) {
	const doc = "title\n\n# Why\n\nBecause.\n\n\tcode # Why\n\n# Before and after\n\n\tx := 1\n"
	for title, want := range map[string]string{"Why": "Because.\n\n\tcode # Why", "Before and after": "\tx := 1", "Wh": "", "title": ""} {
		if got := Section(doc, title); got != want {
			t.Errorf("section %q is %q, want %q", title, got, want)
		}
	}
}
