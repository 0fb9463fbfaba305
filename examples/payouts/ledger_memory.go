package main

import (
	"context"
	"crypto/rand"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/examples/payouts/api"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// memoryLedger keeps the ledger in memory, for a demo without a database. An effect is staged with the transaction and
// becomes visible when memstore commits the step. It has one thing less than the tables: two payouts with different keys
// that are reserved at the very same time can overdraw an account.
type memoryLedger struct {
	mu      sync.Mutex
	spent   map[string]int64 // by account
	payouts map[string]memoryPayout
}

type memoryPayout struct {
	account string
	api.Payout
}

func newMemoryLedger() *memoryLedger {
	return &memoryLedger{spent: map[string]int64{}, payouts: map[string]memoryPayout{}}
}

// opening is each account's balance to begin with.
const opening = 1_000_000

func (l *memoryLedger) reserve(ctx context.Context, tx pgx.Tx, account string, p api.NewPayout) (reservation, error) {
	if balance, _ := l.balance(ctx, account); balance < p.Amount {
		return reservation{Short: true}, nil
	}
	id := rand.Text()
	return reservation{PayoutID: id}, l.staged(tx, func() {
		l.spent[account] += p.Amount
		l.payouts[id] = memoryPayout{account, api.Payout{ID: id, To: p.To, Amount: p.Amount}}
	})
}

func (l *memoryLedger) settle(_ context.Context, tx pgx.Tx, payoutID, transferID string) (api.Payout, error) {
	l.mu.Lock()
	p := l.payouts[payoutID]
	l.mu.Unlock()
	p.TransferID = transferID
	return p.Payout, l.staged(tx, func() { l.payouts[payoutID] = p })
}

func (l *memoryLedger) giveBack(_ context.Context, tx pgx.Tx, payoutID string) error {
	return l.staged(tx, func() {
		p := l.payouts[payoutID]
		l.spent[p.account] -= p.Amount
		delete(l.payouts, payoutID)
	})
}

// staged has effect run with the commit of tx.
func (l *memoryLedger) staged(tx pgx.Tx, effect func()) error {
	return memstore.OnCommit(tx, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		effect()
	})
}

func (l *memoryLedger) payout(_ context.Context, account, id string) (api.Payout, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p, ok := l.payouts[id]; ok && p.account == account && p.TransferID != "" {
		return p.Payout, nil
	}
	return api.Payout{}, errNotFound
}

func (l *memoryLedger) balance(_ context.Context, account string) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return opening - l.spent[account], nil
}
