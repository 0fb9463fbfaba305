// Package river has workers whose jobs River runs again after a failure. They are looked into when the settings ask for at-least-once handlers.
package river

import (
	"context"
	"net/http"
	"strconv"

	"github.com/google/uuid"
	"github.com/riverqueue/river"
)

type chargeArgs struct {
	Order string `json:"order"`
	Key   string `json:"key"`
}

func (chargeArgs) Kind() string { return "charge" }

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

type minting struct {
	river.WorkerDefaults[chargeArgs]
}

// bug: every attempt of the job is a charge.
func (w *minting) Work(ctx context.Context, job *river.Job[chargeArgs]) error {
	return send(ctx, uuid.NewString()) // want "minted"
}

type deriving struct {
	river.WorkerDefaults[chargeArgs]
}

// fine: the job's id is the same at every attempt.
func (w *deriving) Work(ctx context.Context, job *river.Job[chargeArgs]) error {
	return send(ctx, "job-"+strconv.FormatInt(job.ID, 10))
}

type given struct {
	river.WorkerDefaults[chargeArgs]
}

// fine: whoever put the job in minted its key.
func (w *given) Work(ctx context.Context, job *river.Job[chargeArgs]) error {
	return send(ctx, job.Args.Key)
}

type numbering struct {
	river.WorkerDefaults[chargeArgs]
}

// bug: the number of the attempt makes each attempt a charge.
func (w *numbering) Work(ctx context.Context, job *river.Job[chargeArgs]) error {
	return send(ctx, job.Args.Order+"-"+strconv.Itoa(job.Attempt)) // want "attempt"
}

// fine: the job is put in with a key of its own.
func enqueue(ctx context.Context, client *river.Client[any], order string) error {
	_, err := client.Insert(ctx, chargeArgs{Order: order, Key: uuid.NewString()}, nil)
	return err
}
