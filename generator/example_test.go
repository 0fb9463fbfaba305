package generator_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/idemgen/idemgen/generator"
	"github.com/idemgen/idemgen/generator/config"
)

// A run as a library: a configuration in, files as values out. Nothing is written.
func ExampleRun() {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	const document = `openapi: 3.1.0
info: {title: Payments, version: 1.0.0}
paths:
  /payments:
    post:
      operationId: createPayment
      x-idempotency: required
      responses: {'201': {description: Paid}}
`
	if err := os.WriteFile(filepath.Join(folder, "openapi.yaml"), []byte(document), 0o600); err != nil {
		fmt.Println(err)
		return
	}

	settings, err := config.Default().With(config.Overrides{Spec: "openapi.yaml", Out: "payments"})
	if err != nil {
		fmt.Println(err)
		return
	}
	files, findings, err := generator.Run(context.Background(), generator.Input{Config: settings, Dir: folder})
	if err != nil || findings.Err() != nil {
		fmt.Println(findings, err)
		return
	}
	for _, file := range files {
		fmt.Println(file.Path)
	}
	// Output:
	// payments/doc.go
	// payments/handlers.go
	// payments/requests.go
	// payments/responses.go
	// payments/policies.go
	// docs/idempotency.md
	// docs/idempotency.html
	// docs/idempotency-policy.json
	// docs/idempotency.published.overlay.yaml
}
