// Package output takes generated files to the disk, or says how the disk differs from them.
//
// In: a set of files as values and the folder they belong to. Out: written files, a manifest of what was generated, or a
// unified diff. It is the only package that writes; it must never know what is in a file or why.
//
// A run is Open, Lock, Plan, and then either Write or Diff. Planning only reads; everything that could be refused is
// refused there, before the first byte is written.
package output
