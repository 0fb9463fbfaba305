package storeflow

import (
	"testing"

	"github.com/idemgen/idemgen/analyzer/internal/sqltext"
)

// A lock on a whole table arbitrates what follows it, as an advisory lock does.
func TestLockTable(t *testing.T) {
	for _, text := range []string{"LOCK TABLE keys IN SHARE ROW EXCLUSIVE MODE", "LOCK TABLES `keys` WRITE", "SELECT pg_advisory_xact_lock($1)"} {
		list := accessesOf(&sqltext.Parse(text)[0], Access{}, false)
		if len(list) != 1 || list[0].Op != Lock {
			t.Errorf("%s gives %v", text, list)
		}
	}
}
