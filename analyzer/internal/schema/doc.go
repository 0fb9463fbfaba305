// Package schema knows which columns of which tables are unique: from SQL files of the common migration tools, from sqlc's configuration, and from the struct tags of gorm, bun and ent.
// What comes in is a module's folder or a type; what goes out are tables with their unique rules, each with the file and line it comes from.
// It must never know who asks and why.
package schema
