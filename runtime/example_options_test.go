package runtime_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// Most requests are small; one operation takes documents.
func ExampleWithMaxRequestBody() {
	engine, err := runtime.New(memstore.New(), accountOf,
		runtime.WithMaxRequestBody(16<<10),
		runtime.WithMaxRequestBody(25<<20, "uploadDocument", "replaceDocument"),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	handler := engine.Handler(&createPayment, func(_ context.Context, w http.ResponseWriter, _ *http.Request, _ pgx.Tx) error {
		w.WriteHeader(http.StatusCreated)
		return nil
	})
	r := httptest.NewRequest("POST", "/payments", strings.NewReader(strings.Repeat(" ", 20<<10)))
	r.Header.Set("X-Account", "acct_1")
	r.Header.Set("Idempotency-Key", "k")
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	fmt.Println(w.Code, strings.Contains(w.Body.String(), "at most 16384 bytes"))
	// Output: 413 true
}
