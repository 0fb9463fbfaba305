package pgstore

import (
	"errors"
	"log/slog"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/idemgen/idemgen/runtime"
)

var (
	_ runtime.Describer   = (*Store)(nil)
	_ runtime.RecordNamer = (*Store)(nil)
)

// RecordName implements [runtime.RecordNamer]: [Entry].Ref, as `idemgen records` prints it.
func (s *Store) RecordName(id runtime.ID) string { return RefOf(id) }

// Describe implements [runtime.Describer]: the names from the schema that the server gives with an error. Its message and
// its detail repeat values, and are left out.
func (s *Store) Describe(err error) []slog.Attr {
	var server *pgconn.PgError
	if !errors.As(err, &server) {
		return nil
	}
	var names []slog.Attr
	for _, name := range []struct{ kind, value string }{
		{"table", server.TableName}, {"column", server.ColumnName}, {"constraint", server.ConstraintName},
	} {
		if name.value != "" {
			names = append(names, slog.String(name.kind, name.value))
		}
	}
	return names
}
