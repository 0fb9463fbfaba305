package pgstore

import "strings"

// StoredSteps is how steps are stored.
var StoredSteps = encodeSteps

// AdminSQL are statements that an admin's reads must have an index for, with their parameters as literals.
func AdminSQL(s *Store) map[string]string {
	return map[string]string{
		"list": s.onTable(strings.NewReplacer("$1", "false", "$2", "''", "$3", "true", "$4", "0", "$5", "'2026-01-01'", "$6", "'0123456789abcdef'", "$7", "100").Replace(inProgressSQL)),
		"ref":  s.onTable(strings.NewReplacer("$1", "false", "$2", "'0123456789abcdef'").Replace(findRefSQL)),
		"work": s.onTable(strings.NewReplacer("$1", "false", "$2", `'\x61'`).Replace(findWorkingSQL)),
		"key":  s.onTable(strings.NewReplacer("$1", "false", "$2", `'\x61'`, "$3", `'\x7031'`, "$4", `'\x7032'`).Replace(findScopeSQL)),
		"all":  s.onTable(countsSQL),
	}
}
