package pgstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
)

// FindQuery looks for records: by Ref, or by Key.
type FindQuery struct {
	// Ref is an [Entry].Ref. Only work in progress is found by it.
	Ref string
	// Key is a client's key as it is stored, without the quotes that it may have been sent in. Principal narrows it down to
	// one account, and is what makes it quick: without it, the whole of the primary key's index is read.
	Key, Principal string
	// Reveal asks for the results of steps, the request and the answer's body and headers.
	Reveal bool
}

const (
	findRefSQL = `SELECT ` + entryColumns + ` FROM TABLE WHERE status = 0 AND ` + refSQL + ` = $2::text LIMIT 20`

	findWorkingSQL = `SELECT ` + entryColumns + ` FROM TABLE WHERE status = 0 AND key = $2::bytea ORDER BY created_at LIMIT 20`

	findScopeSQL = `SELECT ` + entryColumns + ` FROM TABLE WHERE scope >= $3::bytea AND scope < $4::bytea AND key = $2::bytea ORDER BY status, created_at LIMIT 20`

	findKeySQL = `SELECT ` + entryColumns + ` FROM TABLE WHERE key = $2::bytea ORDER BY status, created_at LIMIT 20`
)

// Find returns the records that query asks for, those in progress first, at most 20: one key can have been used by several
// accounts. Where the search of the whole index takes longer than the time limit, it returns the work in progress that it
// has found, with [ErrSlow].
func (a *Admin) Find(ctx context.Context, query FindQuery) ([]Entry, error) {
	switch {
	case query.Ref != "":
		if !isRef(query.Ref) {
			return nil, fmt.Errorf("pgstore: a reference has %d hexadecimal digits", 2*refBytes)
		}
		return a.find(ctx, query.Reveal, findRefSQL, query.Ref)
	case query.Key == "":
		return nil, errors.New("pgstore: name a reference or a key to look for")
	case len(query.Key) > MaxKey:
		return nil, fmt.Errorf("pgstore: %w", &LimitError{What: "key", Length: len(query.Key), Max: MaxKey})
	}
	key := packKey(query.Key)
	if query.Principal != "" {
		// The text begins with its own length, so no other principal's begins with it.
		prefix := runtime.PrincipalScope(query.Principal)
		return a.find(ctx, query.Reveal, findScopeSQL, key, []byte(prefix), after(prefix))
	}
	working, err := a.find(ctx, query.Reveal, findWorkingSQL, key)
	if err != nil {
		return nil, err
	}
	all, err := a.find(ctx, query.Reveal, findKeySQL, key)
	if err != nil {
		return working, err
	}
	return all, nil
}

func (a *Admin) find(ctx context.Context, reveal bool, sql string, args ...any) ([]Entry, error) {
	var found []Entry
	err := a.read(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, a.store.onTable(sql), append([]any{reveal}, args...)...)
		found, err = scanEntries(rows, err, reveal)
		return err
	})
	return found, err
}

// after is the first text behind all that begin with prefix, which is not all of bytes 0xff.
func after(prefix string) []byte {
	end := []byte(prefix)
	for i := len(end) - 1; ; i-- {
		if end[i] < 0xff {
			end[i]++
			return end[:i+1]
		}
	}
}
