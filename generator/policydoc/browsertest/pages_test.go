package browsertest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/idemgen/idemgen/generator"
	"github.com/idemgen/idemgen/generator/config"
	"github.com/idemgen/idemgen/internal/realspecs"
)

const root = "../../.."

// bank is the page of the document that policydoc's tests are about, which has every decision.
const bank = "../testdata/bank-idempotency.html"

// maxPage is what a page of a large API may weigh, in bytes.
const maxPage = 2 << 20

// pages are the files to look at, by name.
func pages(t *testing.T) map[string]string {
	t.Helper()
	return map[string]string{
		"bank":     bank,
		"payments": root + "/examples/payments/docs/idempotency.html",
		"payouts":  root + "/examples/payouts/docs/idempotency.html",
		"adyen":    generated(t, "adyen_CheckoutService-v71.yaml"),
		"square":   generated(t, "square_api.json"),
	}
}

// generated is the page of a real document, with the keys that it declares taken as they are.
func generated(t *testing.T, name string) string {
	t.Helper()
	document, err := filepath.Abs(realspecs.File(t, root, name))
	must(t, err)
	folder := t.TempDir()
	c, err := config.Default().With(config.Overrides{Spec: document, AcceptDeclared: true})
	must(t, err)
	files, _, err := generator.Run(t.Context(), generator.Input{Config: c, Files: os.DirFS(folder)})
	must(t, err)
	for _, file := range files {
		if file.Path != c.Docs.HTML {
			continue
		}
		if len(file.Content) > maxPage {
			t.Errorf("the page of %s has %d bytes", name, len(file.Content))
		}
		path := filepath.Join(folder, "page.html")
		must(t, os.WriteFile(path, file.Content, 0o644))
		return path
	}
	t.Fatalf("%s gives no page", name)
	return ""
}
