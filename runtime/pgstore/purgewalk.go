package pgstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// PurgeWalk is the way of a pass through the table.
type PurgeWalk int

const (
	// PurgeAuto is PurgeByPage on a table of PostgreSQL's own kind, "heap", in a store with [AdvisoryLock], and PurgeByKey
	// everywhere else.
	PurgeAuto PurgeWalk = iota
	// PurgeByPage reads the table page by page in the order in which it is stored, once a pass, beginning somewhere. It
	// leaves out rows that another transaction has locked. It needs PostgreSQL 14, and fails on a table in partitions.
	PurgeByPage
	// PurgeByKey reads the table in the order of its primary key. It asks for nothing that PostgreSQL's kin lack, and suits
	// those that store a table in that order. On PostgreSQL it is for tables in partitions. It may wait for a transaction
	// that is replacing an expired record, up to a second, and then leaves that batch for the next pass.
	PurgeByKey
)

const (
	// Citus keeps the rows of a distributed table elsewhere, so the table itself looks like an empty heap.
	tableKindSQL = `SELECT c.relkind = 'r' AND coalesce(a.amname = 'heap', false) AND to_regclass('pg_catalog.pg_dist_partition') IS NULL
FROM pg_class c LEFT JOIN pg_am a ON a.oid = c.relam WHERE c.oid = to_regclass($1::text)`

	tablePagesSQL = `SELECT pg_relation_size($1::text::regclass) / current_setting('block_size')::bigint, current_setting('block_size')::bigint,
	(SELECT relkind = 'p' FROM pg_class WHERE oid = $1::text::regclass)`

	// purgePagesSQL: rows come in the order of their places, so that after LIMIT the rest follows the last one. A commit of
	// deletions may be lost with the server's memory: what they deleted is expired still, and a later pass deletes it. So
	// the commit does not wait for the disk while the rows are locked.
	purgePagesSQL = `WITH taken AS (
	SELECT ctid FROM TABLE WHERE ctid > $1::text::tid AND ctid < $2::text::tid AND expires_at <= clock_timestamp()
	LIMIT $3::bigint FOR UPDATE SKIP LOCKED
), gone AS (
	DELETE FROM TABLE WHERE ctid = ANY (ARRAY(SELECT ctid FROM taken)) RETURNING clock_timestamp() - expires_at AS overdue
)
SELECT (SELECT count(*) FROM taken), (SELECT max(ctid) FROM taken), count(*), extract(epoch FROM max(overdue))::float8,
	set_config('synchronous_commit', 'off', true) FROM gone`

	// nextKeysSQL and purgeKeysSQL lock nothing to look, and skip nothing that is locked: not all engines can.
	nextKeysSQL = `SELECT scope, key, expires_at <= clock_timestamp() FROM TABLE
WHERE (scope, key) > ($1::bytea, $2::bytea) ORDER BY scope, key LIMIT $3::bigint`

	purgeKeysSQL = `DELETE FROM TABLE AS expired USING unnest($1::bytea[], $2::bytea[]) AS gone (scope, key)
WHERE expired.scope = gone.scope AND expired.key = gone.key AND expired.expires_at <= clock_timestamp()
RETURNING extract(epoch FROM clock_timestamp() - expired.expires_at)::float8`
)

// errNoPages is a walk by page through a table that has no pages, as its partitions have them.
var errNoPages = errors.New("the table is in partitions, and is purged by key: leave out WithPurgeWalk, or give it PurgeByKey")

// purgeWalk begins a pass. from says where in the table, as a part of it.
func (s *Store) purgeWalk(ctx context.Context, kind PurgeWalk, from float64) (purgeWalk, error) {
	bounded, cancel := context.WithTimeout(ctx, batchTimeout)
	defer cancel()
	if kind == PurgeAuto {
		kind = PurgeByKey
		if s.settings.strategy == AdvisoryLock {
			var heap bool
			if err := s.pool.QueryRow(bounded, tableKindSQL, quoteTable(s.settings.table)).Scan(&heap); err != nil {
				return nil, err
			}
			if heap {
				kind = PurgeByPage
			}
		}
	}
	if kind == PurgeByKey {
		return &keyWalk{store: s, scope: []byte{}, key: []byte{}}, nil
	}
	w := &pageWalk{store: s}
	var inPartitions bool
	if err := s.pool.QueryRow(bounded, tablePagesSQL, quoteTable(s.settings.table)).Scan(&w.pages, &w.pageSize, &inPartitions); err != nil {
		return nil, err
	}
	if inPartitions {
		return nil, errNoPages
	}
	w.start(int64(from * float64(w.pages)))
	return w, nil
}

func (s *Store) onTable(sql string) string {
	return strings.ReplaceAll(sql, "TABLE", quoteTable(s.settings.table))
}

// inReadCommitted runs f in a transaction of that level whatever the session's default is: under a stronger one, a row that
// somebody else has deleted meanwhile is an error and not simply gone.
func (s *Store) inReadCommitted(ctx context.Context, f func(tx pgx.Tx) error) error {
	return pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, f)
}

// pageWalk goes from some page to the last, and from the first to that page: purgers of several processes are seldom in the
// same place.
type pageWalk struct {
	store           *Store
	pages, pageSize int64
	stretches       []stretch  // still to be read
	at              pgtype.TID // the last place of the first of them that is done with
}

// stretch is a row of pages, without the last.
type stretch struct{ from, to int64 }

func (w *pageWalk) start(page int64) {
	for _, s := range []stretch{{page, w.pages}, {0, page}} {
		if s.from < s.to {
			w.stretches = append(w.stretches, s)
		}
	}
	w.at = before(page)
}

// before is the place ahead of all rows of a page: their numbers begin with 1.
func before(page int64) pgtype.TID { return pgtype.TID{BlockNumber: uint32(page), Valid: true} }

// place is how SQL writes it.
func place(at pgtype.TID) string { return fmt.Sprintf("(%d,%d)", at.BlockNumber, at.OffsetNumber) }

func (w *pageWalk) ended() bool { return len(w.stretches) == 0 }

// to is the page that the next batch does not reach.
func (w *pageWalk) to(size purgeSize) int64 {
	return min(int64(w.at.BlockNumber)+max(1, int64(size.bytes)/w.pageSize), w.stretches[0].to)
}

func (w *pageWalk) batch(ctx context.Context, size purgeSize) (purgeBatch, error) {
	var b purgeBatch
	var taken int64
	var last pgtype.TID
	var overdue *float64
	from, to := w.at, w.to(size)
	err := w.store.inReadCommitted(ctx, func(tx pgx.Tx) error {
		row := tx.QueryRow(ctx, w.store.onTable(purgePagesSQL), place(from), place(before(to)), size.records)
		return row.Scan(&taken, &last, &b.deleted, &overdue, nil)
	})
	if err != nil {
		return purgeBatch{}, err
	}
	if taken >= int64(size.records) && int64(last.BlockNumber) < to {
		w.at = last
		to = int64(last.BlockNumber) + 1
	} else {
		w.reach(to)
	}
	b.bytes = int((to - int64(from.BlockNumber)) * w.pageSize)
	b.oldest = seconds(overdue)
	b.done = w.done()
	return b, nil
}

func (w *pageWalk) skip(size purgeSize) { w.reach(w.to(size)) }

// reach is done with all pages before page.
func (w *pageWalk) reach(page int64) {
	w.at = before(page)
	if page < w.stretches[0].to {
		return
	}
	w.stretches = w.stretches[1:]
	if len(w.stretches) > 0 {
		w.at = before(w.stretches[0].from)
	}
}

func (w *pageWalk) done() float64 {
	left := int64(0)
	for _, s := range w.stretches {
		left += s.to - s.from
	}
	if left > 0 {
		left -= int64(w.at.BlockNumber) - w.stretches[0].from
	}
	return 1 - float64(left)/float64(max(1, w.pages))
}

// keyWalk goes from the first key to the last.
type keyWalk struct {
	store      *Store
	scope, key []byte // the last one that it is done with
	over       bool
}

const (
	// keysTimeout bounds how long a batch waits for a claim that replaces one of its records.
	keysTimeout = time.Second
	// aRecord is what a record is taken to have of bytes where nobody says it.
	aRecord = 1 << 10
)

func (w *keyWalk) ended() bool { return w.over }

// skip has nothing to do: a batch has passed over its keys before it deletes any of them.
func (w *keyWalk) skip(purgeSize) {}

func (w *keyWalk) batch(ctx context.Context, size purgeSize) (purgeBatch, error) {
	bounded, cancel := context.WithTimeout(ctx, keysTimeout)
	defer cancel()
	b := purgeBatch{bytes: size.bytes}
	scopes, keys, err := w.expired(bounded, size)
	if err != nil {
		return purgeBatch{}, err
	}
	if len(keys) > 0 {
		err = w.store.inReadCommitted(bounded, func(tx pgx.Tx) error {
			b.deleted, b.oldest = 0, 0
			rows, err := tx.Query(bounded, w.store.onTable(purgeKeysSQL), scopes, keys)
			if err != nil {
				return err
			}
			var overdue *float64
			_, err = pgx.ForEachRow(rows, []any{&overdue}, func() error {
				b.deleted++
				b.oldest = max(b.oldest, seconds(overdue))
				return nil
			})
			return err
		})
	}
	if w.over {
		b.done = 1
	}
	return b, err
}

// expired reads on, and returns what has expired of it.
func (w *keyWalk) expired(ctx context.Context, size purgeSize) (scopes, keys [][]byte, err error) {
	limit := max(1, size.bytes/aRecord)
	rows, err := w.store.pool.Query(ctx, w.store.onTable(nextKeysSQL), w.scope, w.key, limit)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	for read := 1; rows.Next(); read++ {
		var scope, key []byte
		var expired bool
		if err := rows.Scan(&scope, &key, &expired); err != nil {
			return nil, nil, err
		}
		w.scope, w.key = scope, key
		if expired {
			scopes, keys = append(scopes, scope), append(keys, key)
		}
		if read == limit || len(keys) == size.records {
			return scopes, keys, nil
		}
	}
	w.over = rows.Err() == nil
	return scopes, keys, rows.Err()
}

func seconds(s *float64) time.Duration {
	if s == nil {
		return 0
	}
	return time.Duration(*s * float64(time.Second))
}
