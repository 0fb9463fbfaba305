// Package asynq has handlers whose tasks asynq runs again after a failure. They are looked into when the settings ask for at-least-once handlers.
package asynq

import (
	"context"
	"net/http"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"
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

type charger struct{}

// bug: the task is processed again with a new key.
func (charger) ProcessTask(ctx context.Context, task *asynq.Task) error {
	return send(ctx, uuid.NewString()) // want "minted"
}

// fine: the task's id stays.
func charge(ctx context.Context, task *asynq.Task) error {
	return send(ctx, task.ResultWriter().TaskID())
}

// bug: so does a handler that is a function literal.
func routes(mux *asynq.ServeMux) {
	mux.HandleFunc("charge", charge)
	mux.Handle("charge:minted", charger{})
	mux.HandleFunc("refund", func(ctx context.Context, task *asynq.Task) error {
		return send(ctx, uuid.NewString()) // want "minted"
	})
}

// fine: enqueuing with a task id mints it once.
func enqueue(client *asynq.Client, payload []byte) error {
	_, err := client.Enqueue(asynq.NewTask("charge", payload), asynq.TaskID(uuid.NewString()))
	return err
}
