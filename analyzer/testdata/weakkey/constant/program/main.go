// Command program makes one call and ends: its name for that call is as good as an id.
package main

import (
	"net/http"
	"os"
	"strconv"
	"sync/atomic"
)

func main() {
	if err := migrate(os.Getenv("URL")); err != nil {
		os.Exit(1)
	}
}

// fine: the program runs for one operation, and again for the same one.
func migrate(url string) error {
	request, err := http.NewRequest(http.MethodPost, url, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Idempotency-Key", "move-accounts-2024")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// fine: a program that fills a database twice is to find what it filled in first.
func seed(urls []string) error {
	for i, url := range urls {
		request, err := http.NewRequest(http.MethodPost, url, nil)
		if err != nil {
			return err
		}
		request.Header.Set("Idempotency-Key", "seed-"+strconv.Itoa(i))
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		if err := response.Body.Close(); err != nil {
			return err
		}
	}
	return nil
}

var served atomic.Uint64

// bug: a program that serves counts from one again when it is started again.
func serve(request *http.Request) {
	request.Header.Set("Idempotency-Key", strconv.FormatUint(served.Add(1), 10)) // want "made of a counter"
}
