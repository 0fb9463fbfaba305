// Command idemvet finds idempotency bugs in Go code: keys minted per attempt, look-then-insert, keys recorded apart from the work.
//
// In: package patterns, or what go vet and go fix hand to a tool. Out: findings as text, JSON, SARIF or GitHub annotations, or mended files, and an exit code:
// 0 nothing found, 1 something could not be analysed, 2 wrong usage, 3 findings. With -json, -sarif, -fix and -diff findings do not count: 0.
// It must never know what an analyzer looks for.
//
// Run "idemvet help" for the flags and the analyzers.
package main
