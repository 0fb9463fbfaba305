// Package golangci makes idemvet a linter of golangci-lint, through its module plugin system.
// What comes in are the settings of linters.settings.custom.idemvet; what goes out are the analyzers.
// It must never know golangci-lint itself: it links only the small package that plugins register with.
//
// docs/idemvet/README.md tells how to build and configure it. golangci-lint v2.14.0 is the oldest that works: earlier ones lose what is known of other packages when they answer from their cache.
package golangci
