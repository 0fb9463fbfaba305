// Package temporal has activities, which Temporal runs again after a failure. They are looked into when the settings ask for at-least-once handlers.
package temporal

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

func send(ctx context.Context, key string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://pay.example/charges", nil)
	if err != nil {
		return err
	}
	request.Header.Set("Idempotency-Key", key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// bug: the activity runs again after a time-out, with a new key.
func charge(ctx context.Context, order string) error {
	return send(ctx, uuid.NewString()) // want "minted"
}

// fine: the ids of the run and the activity are the same at every attempt.
func chargeDerived(ctx context.Context, order string) error {
	info := activity.GetInfo(ctx)
	return send(ctx, info.WorkflowExecution.RunID+"/"+info.ActivityID)
}

// fine: the workflow minted the key, once, in a side effect that is recorded.
func chargeGiven(ctx context.Context, key string) error { return send(ctx, key) }

func register(w worker.Worker) {
	w.RegisterActivity(charge)
	w.RegisterActivityWithOptions(chargeDerived, activity.RegisterOptions{Name: "charge-derived"})
	w.RegisterActivity(chargeGiven)
}

// fine: a side effect's value is recorded with the workflow.
func Order(ctx workflow.Context, order string) error {
	var key string
	err := workflow.SideEffect(ctx, func(workflow.Context) any { return uuid.NewString() }).Get(&key)
	if err != nil {
		return err
	}
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
	return workflow.ExecuteActivity(ctx, chargeGiven, key).Get(ctx, nil)
}

// bug: the activity that is executed by its function is one of them.
func refund(ctx context.Context, order string) error {
	key := uuid.NewString() // want "minted"
	return send(ctx, key)
}

func Refund(ctx workflow.Context, order string) error {
	return workflow.ExecuteActivity(ctx, refund, order).Get(ctx, nil)
}
