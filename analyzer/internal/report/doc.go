// Package report turns findings into diagnostics: graded, with the two sentences, related positions and fixes, and without those that a directive, a setting or the kind of file rules out.
// What comes in is a pass, its settings and findings; what goes out are diagnostics, and a diagnostic for each directive that ruled out nothing.
// It must never know how a finding was made.
package report
