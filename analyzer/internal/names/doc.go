// Package names knows what things are called: headers, fields, parameters, columns and tables of idempotency keys, attempt counters and retry helpers, scope columns.
// What comes in is an identifier or a header's name, in any case and with any separators; what goes out is a yes or a no.
// It must never know types or syntax.
package names
