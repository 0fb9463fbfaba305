// Package policydoc publishes a policy: as a page for the people who call the API, in Markdown and in HTML, as JSON for
// their machines, and as an OpenAPI overlay that puts it into the API's own document.
//
// In: a policy.Document. Out: output.File values; the page comes from a template that users may override, JSON and
// overlay from structs, so that nothing written in a spec can break out of its place. It must never know how a promise is
// kept, and it must never publish what is nobody's business outside: tables, downstream calls, file positions.
//
// A promise is one sentence with a stable id (see promise.go). The page, the JSON and the overlay all take it from there.
package policydoc
