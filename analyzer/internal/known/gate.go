package known

import "strings"

// relevant are the paths, and the roots of paths that end in a slash, of packages through which a program mints, sends or retries. time and sync/atomic are left out: everything imports them, and a key made of them needs one of the others to be sent.
var relevant = relevantPaths()

func relevantPaths() map[string]bool {
	paths := map[string]bool{
		"github.com/hashicorp/go-retryablehttp": true,
		"github.com/segmentio/kafka-go":         true,
		"github.com/IBM/sarama":                 true,
	}
	add := func(id string) {
		// The path ends at the first dot after the last slash.
		slash := strings.LastIndexByte(id, '/')
		path := id[:slash+1+strings.IndexByte(id[slash+1:], '.')]
		paths[path] = true
	}
	for id := range minters {
		add(id)
	}
	for id := range fillers {
		add(id)
	}
	for id := range sinks {
		add(id)
	}
	for id := range retries {
		add(id)
	}
	for id := range conditional {
		add(id)
	}
	for id := range registrations {
		add(id)
	}
	for id := range handlerParams {
		add(id)
	}
	for _, everywhere := range []string{"time", "sync/atomic", "io", "hash"} {
		delete(paths, everywhere)
	}
	return paths
}

// relevantRoots are trees of packages whose members are too many to list.
var relevantRoots = []string{
	"github.com/aws/aws-sdk-go-v2/service/",
	"github.com/aws/aws-sdk-go/service/",
	"github.com/stripe/stripe-go/",
	"github.com/square/square-go-sdk",
	"github.com/adyen/adyen-go-api-library",
	"github.com/idemgen/idemgen/runtime",
}

// Relevant reports whether importing a package can matter for mints, keys that are sent, or retries. Importers of nothing relevant need no look.
func Relevant(importPath string) bool {
	path := Path(importPath)
	if relevant[path] {
		return true
	}
	for _, root := range relevantRoots {
		if strings.HasPrefix(path, root) {
			return true
		}
	}
	return false
}
