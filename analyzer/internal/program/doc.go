// Package program gives analyzers the SSA form of a package, built only when one of them asks for it.
// What comes in is an analysis pass; what goes out are functions, the callees of calls, the values behind values, and the text of constant strings.
// It must never know what an analyzer looks for, nor any library by name.
package program
