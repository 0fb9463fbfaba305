// Package settings holds what a team can tell idemvet about its own code: house names of mints, retries, keys and guards, where the schema is, what to leave out.
// What comes in is a Config from a program, a linter's settings or the file .idemvet.yaml at the module's root; what goes out is the one Config that holds for the package under analysis.
// It must never know what an analyzer does with a member.
package settings
