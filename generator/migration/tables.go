package migration

import (
	"regexp"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/runtime/policy"
)

// A guard's migration is for good once it is issued, and its number says when it runs: before a table of a later number is
// there, it fails. So it waits until the folder shows where the table comes from.

// schemaOf is what a folder tells of the user's tables.
type schemaOf struct {
	// tables are those that the folder's migrations create, by the user's hand, as "name" or "schema.name".
	tables []string
	// silent is true where the user has migrations and none creates a table in SQL that can be read: the tables come from
	// code or from another folder, and nothing can be told of any.
	silent bool
	// text is what was read: every file but ours and the ways down.
	text string
}

// readTables looks for tables in every file but the ways down. It reads on where it does not understand: a table too many
// costs an error when the migration is run, one too few a line in the configuration.
func readTables(f format, files []Existing) schemaOf {
	var found schemaOf
	own := 0
	for _, file := range files {
		if strings.HasSuffix(file.Name, ".down.sql") {
			continue
		}
		content := normalise(file.Content)
		if len(markers("", content)) > 0 {
			continue // ours
		}
		if f.file.MatchString(file.Name) {
			own++
		}
		found.tables = append(found.tables, tablesIn(string(content))...)
		found.text += string(content) + "\n"
	}
	found.silent = own > 0 && len(found.tables) == 0
	return found
}

const sqlName = `(?:"(?:[^"]|"")+"|[\pL_][\pL\pN_$]*)`

var (
	sqlComment = regexp.MustCompile(`--[^\n]*|(?s:/\*.*?\*/)`)
	// CREATE TABLE in its forms, a partition's among them. A temporary table is gone when the migration is done.
	createTable = regexp.MustCompile(`(?i)\bCREATE\s+(?:UNLOGGED\s+|FOREIGN\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(` + sqlName + `(?:\s*\.\s*` + sqlName + `)?)`)
	// A table that is renamed or put into another schema has a second name; the first is kept, as the way down gives it back.
	alterTable = regexp.MustCompile(`(?i)\bALTER\s+(?:FOREIGN\s+)?TABLE\s+(?:IF\s+EXISTS\s+)?(?:ONLY\s+)?(` + sqlName + `(?:\s*\.\s*` + sqlName + `)?)\s*\*?\s*(RENAME\s+TO|SET\s+SCHEMA)\s+(` + sqlName + `)`)
	nameParts  = regexp.MustCompile(sqlName)
)

func tablesIn(sql string) []string {
	sql = sqlComment.ReplaceAllString(sql, " ")
	var tables []string
	for _, match := range createTable.FindAllStringSubmatch(sql, -1) {
		tables = append(tables, strings.Join(namesIn(match[1]), "."))
	}
	for _, match := range alterTable.FindAllStringSubmatch(sql, -1) {
		parts, to := namesIn(match[1]), namesIn(match[3])[0]
		if strings.EqualFold(match[2][:3], "SET") {
			tables = append(tables, to+"."+parts[len(parts)-1])
			continue
		}
		parts[len(parts)-1] = to
		tables = append(tables, strings.Join(parts, "."))
	}
	return tables
}

// namesIn are the parts of a name as the database knows them.
func namesIn(name string) []string {
	parts := nameParts.FindAllString(name, -1)
	for i, part := range parts {
		if inner, quoted := strings.CutPrefix(part, `"`); quoted {
			parts[i] = strings.ReplaceAll(strings.TrimSuffix(inner, `"`), `""`, `"`)
			continue
		}
		parts[i] = strings.ToLower(part)
	}
	return parts
}

// KnownTables returns the tables whose guards can be issued: those that the folder's migrations create, those of
// o.Tables, and those of guards that were issued before. all is true where the folder tells nothing of tables, so that
// no guard waits.
func KnownTables(doc *policy.Document, o Options) (tables []string, all bool) {
	f, ok := findFormat(o.Format)
	if !ok {
		return nil, true // Generate reports it
	}
	schema := readTables(f, o.Existing)
	if schema.silent && len(o.Tables) == 0 {
		return nil, true
	}
	tables = slices.Concat(schema.tables, o.Tables)
	guards, _ := collectGuards(doc)
	migrations, _ := migrationsIn(f, o.Existing)
	found, _ := readIssued(o.Dir, migrations)
	for _, g := range guards {
		if found.has(g) {
			tables = append(tables, g.Table) // it was there when the guard was issued
		}
	}
	return tables, false
}

// ready leaves out the guards that wait for their tables.
func ready(guards []guard, tables []string) []guard {
	return slices.DeleteFunc(guards, func(g guard) bool { return !names(tables, g.Table) })
}
