package modeltest

import (
	"context"
	"errors"
	"reflect"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
)

// strict answers as a database at SERIALIZABLE does: a transaction whose record was written to since it began is to be run
// again, and so is one during which another was committed.
type strict struct {
	store
	commits int
}

// began is what a transaction of strict saw when it began.
type began struct {
	store   *strict
	id      runtime.ID
	look    runtime.Look
	commits int
}

func (s *strict) began(ctx context.Context, id runtime.ID) began {
	return began{s, id, s.see(ctx, id), s.commits}
}

// see is what there is under id; the clock of these tests moves at each look.
func (s *strict) see(ctx context.Context, id runtime.ID) runtime.Look {
	look, _ := s.store.Look(ctx, id)
	if look.Progress != nil {
		look.Progress.Left = look.Progress.Left.Round(time.Minute)
	}
	return look
}

// commit commits, if nothing has come between.
func (b *began) commit(ctx context.Context, rollback, commit func() error) error {
	if b.commits != b.store.commits || !reflect.DeepEqual(b.look, b.store.see(ctx, b.id)) {
		return errors.Join(runtime.ErrSerialization, rollback())
	}
	err := commit()
	if err == nil {
		b.store.commits++
	}
	return err
}

type strictFenced struct {
	runtime.FencedWork[pgx.Tx]
	began began
}

func (s *strict) BeginFenced(ctx context.Context, id runtime.ID, fence runtime.Fence) (runtime.FencedWork[pgx.Tx], error) {
	work, err := s.store.BeginFenced(ctx, id, fence)
	if err != nil {
		return nil, err
	}
	return &strictFenced{work, s.began(ctx, id)}, nil
}

func (w *strictFenced) Commit(ctx context.Context, to *runtime.Advance) error {
	return w.began.commit(ctx, func() error { return w.Rollback(ctx) }, func() error { return w.FencedWork.Commit(ctx, to) })
}

type strictWork struct {
	runtime.Work[pgx.Tx]
	began began
}

func (s *strict) Claim(ctx context.Context, id runtime.ID, wait time.Duration) (runtime.Claim[pgx.Tx], error) {
	claim, err := s.store.Claim(ctx, id, wait)
	if claim.Work != nil {
		claim.Work = &strictWork{claim.Work, s.began(ctx, id)}
	}
	return claim, err
}

func (w *strictWork) Commit(ctx context.Context, record *runtime.Record) error {
	return w.began.commit(ctx, func() error { return w.Rollback(ctx) }, func() error { return w.Work.Commit(ctx, record) })
}
