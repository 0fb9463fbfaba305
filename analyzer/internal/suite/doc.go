// Package suite ties the passes that analyzers share to one configuration, so that each package is read once however many analyzers run.
// What comes in is a configuration; what goes out are the shared passes.
// It must never know what an analyzer reports.
package suite
