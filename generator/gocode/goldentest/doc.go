// Package goldentest holds the tests that run the generated packages under generator/gocode/testdata over HTTP.
//
// In: the committed packages, an engine over memory, requests. Out: nothing but test results; there is no code here. It must
// never know how a package is generated: it stands apart so that goldens can be rewritten while they do not compile.
package goldentest
