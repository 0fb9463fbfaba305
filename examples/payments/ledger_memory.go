package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/examples/payments/api"
	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// memoryLedger keeps the ledger in memory, for a demo without a database. An effect is staged with the transaction and
// becomes visible when memstore commits the record. It has one thing less than the tables: two payments for one order with
// different keys that run at the very same time are both made, because there is no constraint that could object.
type memoryLedger struct {
	mu      sync.Mutex
	entries []memoryPayment // oldest first
}

type memoryPayment struct {
	account  string
	payment  api.Payment
	refunded int64
}

func (l *memoryLedger) addPayment(_ context.Context, tx pgx.Tx, account, _ string, p api.NewPayment) (api.Payment, error) {
	if p.OrderID != nil && l.paid(account, *p.OrderID) {
		return api.Payment{}, &runtime.Problem{Status: 409, Title: "The order is paid already"}
	}
	payment := api.Payment{
		ID: newID(), OrderID: p.OrderID, Amount: p.Amount, Currency: api.PaymentCurrency(p.Currency),
		Status: api.PaymentStatusSucceeded, CreatedAt: time.Now().UTC(),
	}
	return payment, memstore.OnCommit(tx, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.entries = append(l.entries, memoryPayment{account: account, payment: payment})
	})
}

func (l *memoryLedger) paid(account, orderID string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.entries {
		e := &l.entries[i]
		if e.account == account && e.payment.OrderID != nil && *e.payment.OrderID == orderID {
			return true
		}
	}
	return false
}

func (l *memoryLedger) refundable(_ context.Context, _ pgx.Tx, account, paymentID string) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.find(account, paymentID); e != nil {
		return e.payment.Amount - e.refunded, nil
	}
	return 0, errNotFound
}

func (l *memoryLedger) addRefund(_ context.Context, tx pgx.Tx, account, _, paymentID string, r api.NewRefund) (api.Refund, error) {
	refund := api.Refund{
		ID: newID(), PaymentID: paymentID, Amount: r.Amount, Reason: refundReason(r.Reason), CreatedAt: time.Now().UTC(),
	}
	return refund, memstore.OnCommit(tx, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if e := l.find(account, paymentID); e != nil {
			e.refunded += r.Amount
		}
	})
}

// find returns an account's payment; l is locked.
func (l *memoryLedger) find(account, id string) *memoryPayment {
	for i := range l.entries {
		if l.entries[i].account == account && l.entries[i].payment.ID == id {
			return &l.entries[i]
		}
	}
	return nil
}

func (l *memoryLedger) payment(_ context.Context, account, id string) (api.Payment, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.find(account, id); e != nil {
		return e.payment, nil
	}
	return api.Payment{}, errNotFound
}

func (l *memoryLedger) payments(_ context.Context, account, orderID string) ([]api.Payment, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	found := []api.Payment{}
	for i := len(l.entries) - 1; i >= 0; i-- {
		e := &l.entries[i]
		if e.account != account || (orderID != "" && (e.payment.OrderID == nil || *e.payment.OrderID != orderID)) {
			continue
		}
		found = append(found, e.payment)
	}
	return found, nil
}

// newID is a random UUID, version 4 (RFC 9562, section 5.4).
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
