// Command program makes one call and ends: its name for that call is as good as an id.
package main

import (
	"net/http"
	"os"
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
