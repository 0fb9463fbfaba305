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
		paths[pathOf(id)] = true
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

// pathOf cuts a row's name back to its package: the path ends at the dot in front of the first capital after the last slash.
func pathOf(id string) string {
	for i := strings.LastIndexByte(id, '/') + 1; i < len(id)-1; i++ {
		if id[i] == '.' && id[i+1] >= 'A' && id[i+1] <= 'Z' {
			return id[:i]
		}
	}
	return id
}

// relevantRoots are trees of packages whose members are too many to list.
var relevantRoots = []string{
	"github.com/aws/aws-sdk-go-v2/service/",
	"github.com/aws/aws-sdk-go/service/",
	"github.com/stripe/stripe-go/",
	"github.com/aliyun/alibaba-cloud-sdk-go/services/",
	"github.com/alibabacloud-go/",
	"github.com/tencentcloud/tencentcloud-sdk-go/tencentcloud/",
	"github.com/volcengine/volcengine-go-sdk/service/",
	"github.com/baidubce/bce-sdk-go/services/",
	"github.com/oracle/oci-go-sdk/",
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
