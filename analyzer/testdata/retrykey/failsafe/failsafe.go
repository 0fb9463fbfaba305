// Package failsafe has calls that failsafe-go repeats, because a policy says so.
package failsafe

import (
	"context"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/google/uuid"
)

type transfer struct {
	IdempotencyKey string
	Amount         int64
}

type bank interface {
	Transfer(ctx context.Context, t transfer) (string, error)
}

func policy() retrypolicy.RetryPolicy[string] {
	return retrypolicy.NewBuilder[string]().WithMaxRetries(3).WithBackoff(time.Second, time.Minute).Build()
}

// bug: the transfer gets its key in the function that is repeated.
func move(ctx context.Context, b bank, amount int64) (string, error) {
	return failsafe.With[string](policy()).Get(func() (string, error) {
		return b.Transfer(ctx, transfer{IdempotencyKey: uuid.NewString(), Amount: amount}) // want "minted"
	})
}

// fine: the transfer has its key before.
func moveOnce(ctx context.Context, b bank, amount int64) (string, error) {
	t := transfer{IdempotencyKey: uuid.NewString(), Amount: amount}
	return failsafe.With[string](policy()).Get(func() (string, error) {
		return b.Transfer(ctx, t)
	})
}

// bug: with the execution at hand, the key is minted all the same.
func moveWithExecution(ctx context.Context, b bank, amount int64) error {
	executor := failsafe.With[string](policy()).WithContext(ctx)
	return executor.RunWithExecution(func(exec failsafe.Execution[string]) error {
		t := transfer{Amount: amount}
		t.IdempotencyKey = uuid.NewString() // want "minted"
		_, err := b.Transfer(exec.Context(), t)
		return err
	})
}

// fine: a listener that runs after the execution sends nothing.
func moveListened(ctx context.Context, b bank, t transfer, log func(id string)) error {
	executor := failsafe.With[string](policy()).OnDone(func(failsafe.ExecutionDoneEvent[string]) { log(uuid.NewString()) })
	return executor.Run(func() error {
		_, err := b.Transfer(ctx, t)
		return err
	})
}
