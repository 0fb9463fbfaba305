package policy

import "strings"

// SameTable reports whether two names, "table" or "schema.table", can be those of one table. They are compared as PostgreSQL
// does with names without quotes: without regard to case, and without a schema where either names none.
func SameTable(a, b string) bool {
	schemaA, nameA := splitTable(strings.ToLower(a))
	schemaB, nameB := splitTable(strings.ToLower(b))
	return nameA == nameB && (schemaA == schemaB || schemaA == "" || schemaB == "")
}

func splitTable(table string) (schema, name string) {
	if schema, name, ok := strings.Cut(table, "."); ok {
		return schema, name
	}
	return "", table
}
