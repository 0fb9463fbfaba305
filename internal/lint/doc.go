// Package lint only holds the module whose go.mod pins the linters.
package lint
