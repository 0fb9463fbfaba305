// Package sarif writes findings as SARIF 2.1.0, which GitHub and editors read.
//
// In: the rules of a tool and its findings with their places in files. Out: one run, without a time or a machine's path in
// it, so that the same findings give the same bytes. It must never know what a rule means.
package sarif
