// Package constant has keys that are the same for every call.
package constant

import (
	"context"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ecs"
	"github.com/google/uuid"
)

type payments interface {
	Pay(ctx context.Context, amount int64, idempotencyKey string) error
}

// bug: the second payment is answered with the first.
func literal(request *http.Request) {
	request.Header.Set("Idempotency-Key", "payment") // want `"payment"`
}

const paymentKey = "create-payment-v1"

// bug: a name for it changes nothing.
func named(ctx context.Context, p payments, amount int64) error {
	return p.Pay(ctx, amount, paymentKey) // want `"create-payment-v1"`
}

// bug: neither does a pointer.
func pointed(ctx context.Context, client *ecs.Client, task string) error {
	_, err := client.RunTask(ctx, &ecs.RunTaskInput{TaskDefinition: &task, ClientToken: aws.String("run-task")}) // want `"run-task"`
	return err
}

// bug: nor a hash of it.
func hashed(request *http.Request) {
	request.Header.Set("Idempotency-Key", uuid.NewSHA1(uuid.NameSpaceURL, []byte("payment")).String()) // want "the same for every call"
}

// fine: an empty key is none.
func none(ctx context.Context, p payments) error { return p.Pay(ctx, 1, "") }

// fine: a constant in front of what tells keys apart.
func prefixed(ctx context.Context, p payments, order string) error {
	return p.Pay(ctx, 1, "order-"+order)
}

type names struct {
	IdempotencyKey string
	RequestID      string
}

// fine: these are names of headers, not keys.
func headers() names {
	return names{IdempotencyKey: "Idempotency-Key", RequestID: "X-Request-Id"}
}

// fine: what is set once for a whole account is told apart by the account.
func forAccount(request *http.Request, account string) {
	key := "setup"
	if account != "" {
		key = "setup-" + account
	}
	request.Header.Set("Idempotency-Key", key)
}

// bug: a map of headers is sent as it is.
func inHeaders(send func(http.Header)) {
	headers := http.Header{}
	headers.Set("Idempotency-Key", "monthly-run") // want `"monthly-run"`
	send(headers)
}

type columns struct{ ID, IdempotencyKey string }

// fine: the member holds the name of a column.
func table() columns { return columns{ID: "id", IdempotencyKey: "ikey"} }

// fine: a map from members to their types is no request.
func schema() map[string]string {
	return map[string]string{"amount": "integer", "idempotency_key": "string"}
}

type request struct{ IdempotencyKey string }

// fine: a text with words is what a reader is told of the key.
func described() request { return request{IdempotencyKey: "unique per request"} }

// fine: what a template fills in.
func templated() request { return request{IdempotencyKey: "{{uuid}}"} }
