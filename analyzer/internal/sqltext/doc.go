// Package sqltext reads SQL as programs write it: complete statements of PostgreSQL, MySQL and SQLite, and texts with holes where a program fills something in at run time.
// What comes in is a text; what goes out is what each statement reads, writes, compares and arbitrates, as far as the text tells. It never fails: what it does not understand is left out.
// It must never know Go, a schema or a database.
package sqltext
