// Package extension reads x-idempotency: its whole grammar, its shorthands, its layers and its checks.
//
// In: YAML nodes of the extension at the root, on a path item and on an operation, with a function that says where a node
// stands, and the key parameters that the document declares. Out: the decision, the effective policy and the origins of
// each operation, and findings, each with a stable rule (see [Rules]), a position and a hint; all are collected.
//
// It must never know how a document is loaded, how references are resolved or what is generated: it reads no file and
// follows no $ref.
package extension
