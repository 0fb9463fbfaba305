// Package forms calls the libraries in every form that Go has for a call: method values, method expressions, promoted methods, type parameters, and houses' methods that are called as the libraries' are and take less.
package forms

import (
	"context"
	"database/sql"

	"github.com/Masterminds/squirrel"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
	"github.com/redis/go-redis/v9"
	"github.com/uptrace/bun"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"gorm.io/gorm"
)

const insert = "INSERT INTO accounts (email) VALUES ('x')"

func methodValues(ctx context.Context, db *sql.DB, pool *pgxpool.Pool, x *sqlx.DB, g *gorm.DB, r *redis.Client, b *bun.DB, c *mongo.Collection, d *dynamodb.Client) {
	exec := db.Exec
	exec(insert) // want "insert accounts over pool"
	queued := pool.Exec
	queued(ctx, insert) // want "insert accounts over pool"
	get := x.Get
	get(nil, "SELECT id FROM accounts WHERE email = 'x'") // want "read accounts by email over pool"
	create := g.Create
	create(&struct{ ID int }{}) // want "insert over param 4"
	where := g.Where
	where("email = ?", "x").Find(nil) // want "read by email over param 4"
	set := r.Set
	set(ctx, "key", "value", 0) // want "redis insert key over client"
	setNX := r.SetNX
	setNX(ctx, "key", "value", 0) // want "redis insert key on-conflict over client"
	do := r.Do
	do(ctx, "SET", "key", "value") // want "redis insert key over client"
	eval := r.Eval
	eval(ctx, "return 1", []string{"key"}) // want "redis insert key on-conflict result-read over client"
	watch := r.Watch
	watch(ctx, func(tx *redis.Tx) error { return nil }, "key")
	raw := b.NewRaw
	raw(insert).Exec(ctx) // want "insert accounts over pool"
	run := b.RunInTx
	run(ctx, nil, func(ctx context.Context, tx bun.Tx) error { return nil }) // want "transaction of a function"
	one := c.InsertOne
	one(ctx, map[string]any{"_id": 1}) // want "mongo insert over client"
	update := c.UpdateOne
	update(ctx, nil, nil) // want "mongo update partial over client"
	put := d.PutItem
	put(ctx, &dynamodb.PutItemInput{}) // want "dynamo insert partial over client"
}

func methodValuesOfTransactions(ctx context.Context, db *sql.DB, tx pgx.Tx, x *sqlx.DB, g *gorm.DB) {
	begin := db.BeginTx
	inner, _ := begin(ctx, nil) // want "transaction committed 1"
	commit, rollback := inner.Commit, inner.Rollback
	defer rollback()
	commit()
	nested := tx.Begin
	deeper, _ := nested(ctx)
	end := deeper.Commit
	end(ctx)
	conn := tx.Conn
	conn()
	must := x.MustBegin
	must().Commit() // want "transaction committed 1"
	transaction := g.Transaction
	transaction(func(tx *gorm.DB) error { return nil }) // want "transaction of a function"
	start := g.Begin
	start().Commit() // want "transaction committed 1"
	session := g.WithContext
	session(ctx).Create(nil) // want "insert over param 4"
}

func methodExpressions(ctx context.Context, db *sql.DB, pool *pgxpool.Pool, x *sqlx.DB, g *gorm.DB, r *redis.Client, tx pgx.Tx, s *sql.Tx, q squirrel.InsertBuilder, stmt *sql.Stmt, batch *pgx.Batch) {
	(*sql.DB).Exec(db, insert)             // want "insert accounts over pool"
	(*sql.DB).ExecContext(db, ctx, insert) // want "insert accounts over pool"
	(*sql.Tx).Commit(s)
	(*sql.Stmt).Exec(stmt, 1)
	(*pgxpool.Pool).Exec(pool, ctx, insert) // want "insert accounts over pool"
	(*pgxpool.Pool).SendBatch(pool, ctx, batch)
	(*pgx.Batch).Queue(batch, insert)                                 // want "insert accounts over pool"
	(*sqlx.DB).Get(x, nil, "SELECT id FROM accounts")                 // want "read accounts over pool"
	(*gorm.DB).Create(g, nil)                                         // want "insert over param 4"
	(*gorm.DB).Transaction(g, func(tx *gorm.DB) error { return nil }) // want "transaction of a function"
	(*redis.Client).Set(r, ctx, "key", "value", 0)                    // want "redis insert key over client"
	pgx.Tx.Exec(tx, ctx, insert)                                      // want "insert accounts over tx 1"
	pgx.Tx.Commit(tx, ctx)
	squirrel.InsertBuilder.Exec(q)
	squirrel.InsertBuilder.ToSql(q)
}

// house has methods that are called as those of the libraries, and take less.
type house struct{ *sql.DB }

func (house) ExecContext() (sql.Result, error)              { return nil, nil }
func (house) Query() (*sql.Rows, error)                     { return nil, nil }
func (house) Prepare() (*sql.Stmt, error)                   { return nil, nil }
func (house) PrepareContext() *sql.Stmt                     { return nil }
func (house) Begin() (*sql.Tx, error)                       { return nil, nil }
func (house) QueryRow(id int) *sql.Row                      { return nil }
func (house) RunInTx()                                      {}
func (house) WithTx(*sql.Tx) house                          { return house{} }
func (house) BeginFunc(func(pgx.Tx) error) error            { return nil }
func (house) PutItem(*dynamodb.PutItemInput)                {}
func (house) FindOne() *mongo.SingleResult                  { return nil }
func (house) CopyFrom() (int64, error)                      { return 0, nil }
func (house) SendBatch() pgx.BatchResults                   { return nil }
func (house) InsertOne(int) (*mongo.InsertOneResult, error) { return nil, nil }

type houses interface {
	ExecContext() (sql.Result, error)
	Prepare() (*sql.Stmt, error)
	FindOne() *mongo.SingleResult
	GetContext(dest any) error
	SelectContext() error
	NamedExecContext() (sql.Result, error)
	BeginTx() (*sql.Tx, error)
	BeginTxx() (*sqlx.Tx, error)
	SendBatch() pgx.BatchResults
	CopyFrom() (int64, error)
	FindByKey()
	Create()
	WithTransaction()
	Collection() *mongo.Collection
}

func less(h house, i houses, ctx context.Context) {
	h.ExecContext()
	h.Query()
	h.QueryRow(1)
	stmt, _ := h.Prepare()
	stmt.Exec()
	h.PrepareContext().Query()
	tx, _ := h.Begin() // want "transaction"
	h.WithTx(tx).ExecContext()
	h.RunInTx()
	h.BeginFunc(nil)
	h.PutItem(nil)
	h.FindOne()
	h.SendBatch()
	h.CopyFrom()
	h.InsertOne(1)
	i.ExecContext()
	other, _ := i.Prepare()
	other.Query()
	i.FindOne()
	i.GetContext(nil)
	i.SelectContext()
	i.NamedExecContext()
	i.BeginTx()
	i.BeginTxx()
	i.SendBatch()
	i.CopyFrom()
	i.FindByKey()
	i.Create()
	i.WithTransaction()
	i.Collection().InsertOne(ctx, nil) // want "mongo insert over client"
	house.ExecContext(h)
	bound := h.ExecContext
	bound()
}

func generic[T interface {
	Exec(string, ...any) (sql.Result, error)
}](db T) {
	db.Exec(insert) // want "insert accounts over param 0"
	exec := db.Exec
	exec(insert)       // want "insert accounts over param 0"
	T.Exec(db, insert) // want "insert accounts over param 0"
}

func concurrent(ctx context.Context, db *sql.DB, r *redis.Client) {
	go db.Exec(insert)
	defer db.Exec(insert) // want "insert accounts over pool"
	go r.SetNX(ctx, "key", 1, 0)
	defer r.Set(ctx, "key", 1, 0)   // want "redis insert key over client"
	go func() { db.Exec(insert) }() // want "insert accounts over pool"
}

func instances(db *sql.DB, tx *sql.Tx) {
	generic(db) // want "insert accounts over pool via generic"
	generic(tx) // want "insert accounts over tx 1 via generic"
}

func nothing(db *sql.DB, tx *sql.Tx, args []any) {
	db.Exec("")
	db.Exec(insert, args...)    // want "insert accounts over pool"
	db.Exec(insert, nil)        // want "insert accounts over pool"
	db.Exec(insert, []any{}...) // want "insert accounts over pool"
	var big [1 << 24]any
	big[1<<23] = 1
	db.Exec(insert, big[:]...) // want "insert accounts over pool"
	tx.Stmt(nil).Exec()
	(*sql.DB)(nil).Exec(insert)    // want "insert accounts over pool"
	sqlx.Get(nil, nil, "SELECT 1") // want "read always over unknown"
	pgx.BeginFunc(nil, nil, nil)   // want "transaction"
}
