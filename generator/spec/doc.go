// Package spec reads an OpenAPI document, the files it refers to and the overlays laid over it, and says what they mean
// for idempotency.
//
// In: the path of an OpenAPI 3.0, 3.1 or 3.2 document or a Swagger 2.0 one, in YAML or JSON, and of OpenAPI Overlay
// files. Out: a [policy.Document] of plain sorted values in which every node has its file, line and column, and all the
// findings at once. It must never know what is generated from the document, it reads no file outside the document's own
// folder and nothing from a network, and nothing of kin-openapi or of a YAML library shows in its results.
//
// # How a document is read
//
// Each file is read once into a tree of nodes that know where they stand; overlays change that tree, and everything
// else is read from it: decisions, key parameters, the interface of keyed operations. So numbers keep their digits,
// members their order, and a message can point at the very value it speaks of, also when an overlay brought it.
//
// # What is checked
//
//   - Syntax, x-idempotency, operation identifiers, and where references lead: always, in the whole document.
//   - The rules of the OpenAPI specification, by kin-openapi: for keyed operations and what they reach; with
//     [Options.Strict] for the whole document, examples included.
//   - Examples of keyed operations, against their schemas: always.
//
// Findings of the last two kinds, and references that lead nowhere, are warnings, as a third party's document cannot be
// mended by its reader; with [Options.Strict] they are errors. What is missing or contradictory in a schema makes it
// free-form, never wrong. A parameter, body or response that a keyed operation refers to and that is not there is an
// error always, as is a reference of a keyed operation to a network or out of the document's folder: nobody can say then
// what the operation takes.
package spec
