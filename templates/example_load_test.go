package templates_test

import (
	"fmt"
	"testing/fstest"

	"github.com/idemgen/idemgen/templates"
)

// A team replaces one block and keeps the rest.
func ExampleLoad() {
	mine := fstest.MapFS{"guard.sql.tmpl": {Data: []byte(
		`{{define "guard.down"}}-- We never drop constraints by machine: {{.Constraint}}{{end}}`)}}
	set, err := templates.Load(mine)
	if err != nil {
		fmt.Println(err)
		return
	}
	sql, err := set.Render("guard.down", map[string]string{"Constraint": "one_per_order"})
	fmt.Println(sql, err)
	// Output: -- We never drop constraints by machine: one_per_order <nil>
}
