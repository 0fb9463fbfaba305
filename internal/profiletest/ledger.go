package profiletest

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/runtime/memstore"
)

// Payment is an effect.
type Payment struct {
	ID       string `json:"id"`
	Account  string `json:"account"`
	Key      string `json:"-"`
	Amount   string `json:"amount"`
	Currency string `json:"currency"`
}

// Ledger holds the payments.
type Ledger interface {
	// Add makes a payment with tx and returns its id.
	Add(ctx context.Context, tx pgx.Tx, p Payment) (string, error)
	// Find returns an account's payment.
	Find(ctx context.Context, tx pgx.Tx, account, id string) (Payment, error)
	// Count is the number of payments that a key has made, of all accounts. It is what a drill asks for.
	Count(ctx context.Context, operation, key string) (int, error)
}

// memoryLedger has a payment once its transaction is committed.
type memoryLedger struct {
	mu       sync.Mutex
	payments []Payment
}

func (l *memoryLedger) Add(_ context.Context, tx pgx.Tx, p Payment) (string, error) {
	p.ID = rand.Text()
	return p.ID, memstore.OnCommit(tx, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.payments = append(l.payments, p)
	})
}

func (l *memoryLedger) Find(_ context.Context, _ pgx.Tx, account, id string) (Payment, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.payments {
		if p.Account == account && p.ID == id {
			return p, nil
		}
	}
	return Payment{}, errors.New("there is no such payment")
}

func (l *memoryLedger) Count(_ context.Context, _, key string) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, p := range l.payments {
		if p.Key == key {
			n++
		}
	}
	return n, nil
}

const paymentsTable = `CREATE TABLE payments (
	id text PRIMARY KEY,
	account text NOT NULL,
	idem_key text NOT NULL,
	amount text NOT NULL,
	currency text NOT NULL
)`

// sqlLedger is a table.
type sqlLedger struct{ pool *pgxpool.Pool }

func (l *sqlLedger) Add(ctx context.Context, tx pgx.Tx, p Payment) (string, error) {
	p.ID = rand.Text()
	_, err := tx.Exec(ctx, "INSERT INTO payments (id, account, idem_key, amount, currency) VALUES ($1, $2, $3, $4, $5)", p.ID, p.Account, p.Key, p.Amount, p.Currency)
	return p.ID, err
}

func (l *sqlLedger) Find(ctx context.Context, tx pgx.Tx, account, id string) (p Payment, err error) {
	err = tx.QueryRow(ctx, "SELECT id, account, idem_key, amount, currency FROM payments WHERE account = $1 AND id = $2", account, id).
		Scan(&p.ID, &p.Account, &p.Key, &p.Amount, &p.Currency)
	return p, err
}

func (l *sqlLedger) Count(ctx context.Context, _, key string) (n int, err error) {
	err = l.pool.QueryRow(ctx, "SELECT count(*) FROM payments WHERE idem_key = $1", key).Scan(&n)
	return n, err
}
