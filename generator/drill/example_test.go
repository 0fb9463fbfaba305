package drill_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/idemgen/idemgen/generator/drill"
	"github.com/idemgen/idemgen/generator/policydoc"
)

// In a test, t.Context() takes the place of the context, and what is printed here goes to t.Error.
func ExampleRun() {
	service := http.NewServeMux() // the service under test
	server := httptest.NewServer(service)
	defer server.Close()

	file, err := os.Open("docs/idempotency-policy.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = file.Close() }()
	policy, err := policydoc.ReadJSON(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := drill.Run(context.Background(), drill.Plan{
		Policy: policy, BaseURL: server.URL,
		Credentials:      http.Header{"Authorization": {"Bearer token-1"}},
		OtherCredentials: http.Header{"Authorization": {"Bearer token-2"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := report.Err(); err != nil {
		fmt.Println(err)
	}
	for _, promise := range report.Untested() {
		fmt.Println("not tested:", promise)
	}
}
