// Package templates holds the text of everything idemgen writes for people to read and to change: SQL, Markdown and HTML.
//
// In: the built-in files, and a folder of the user's that replaces them by name, whole or block by block. Out: a [Set]
// that renders one named block with the data its room gives it. It must never know what a policy means: whatever a
// template prints has been made safe for its place by the room that hands it over.
//
// README.md beside this file says which files and blocks there are and what data each is given.
package templates
