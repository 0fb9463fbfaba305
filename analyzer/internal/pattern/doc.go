// Package pattern holds regular expressions that are compiled when they are first asked.
// What comes in is an expression, known when the program is written; what goes out is what it matches.
// It must never know what the expressions are for.
package pattern
