package shop

import (
	"context"
	"net/http"
	"strings"
	"time"
)

// ChargeHouse is a bug that only settings can tell of: nothing in newReference looks like a mint.
func ChargeHouse(ctx context.Context, body string) error {
	for attempt := 0; ; attempt++ {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://pay.example/charges", strings.NewReader(body))
		if err != nil {
			return err
		}
		req.Header.Set("Idempotency-Key", newReference())
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			time.Sleep(time.Second)
			continue
		}
		return resp.Body.Close()
	}
}

var references = make(chan string)

func newReference() string { return <-references }
