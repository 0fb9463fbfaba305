package main

import (
	"os"
	"path/filepath"
	"strings"
)

// moduleFiles are go.mod and go.sum of a module that uses the repository in its working tree, and idemgen as a tool. It
// asks for the same versions as the repository, so that nothing has to be fetched.
func moduleFiles(t interface{ Fatalf(string, ...any) }, repository string) map[string]string {
	files := map[string]string{}
	for _, name := range []string{"go.mod", "go.sum"} {
		content, err := os.ReadFile(filepath.Join(repository, name))
		if err != nil {
			t.Fatalf("%v", err)
		}
		files[name] = string(content)
	}
	_, requires, _ := strings.Cut(files["go.mod"], "\n") // without the module line
	files["go.mod"] = "module example.com/service\n" + requires + `
require github.com/idemgen/idemgen v0.0.0

replace github.com/idemgen/idemgen => ` + repository + `

tool github.com/idemgen/idemgen/cmd/idemgen
`
	return files
}
