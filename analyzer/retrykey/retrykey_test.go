package retrykey_test

import (
	"testing"

	"github.com/idemgen/idemgen/analyzer/internal/settings"
	"github.com/idemgen/idemgen/analyzer/internal/suite"
	"github.com/idemgen/idemgen/analyzer/internal/vettest"
	"github.com/idemgen/idemgen/analyzer/retrykey"
)

// queues are the folders whose bugs are handlers that a queue or an engine runs again: silent unless asked for.
var queues = []string{"./retrykey/asynq", "./retrykey/kafka", "./retrykey/river", "./retrykey/sqs", "./retrykey/temporal", "./retrykey/watermill"}

func TestRetries(t *testing.T) {
	vettest.Run(t, retrykey.Analyzer,
		"./retrykey/adyen", "./retrykey/aws", "./retrykey/backoff", "./retrykey/failsafe/...", "./retrykey/goretry", "./retrykey/grpc", "./retrykey/kwait",
		"./retrykey/resiliency", "./retrykey/resty", "./retrykey/retryablehttp", "./retrykey/retrygo", "./retrykey/square", "./retrykey/stripe")
}

func TestShapes(t *testing.T) {
	vettest.Run(t, retrykey.Analyzer, "./retrykey/closures", "./retrykey/loops", "./retrykey/looks", "./retrykey/recursion")
}

func TestAtLeastOnce(t *testing.T) {
	vettest.Run(t, retrykey.New(suite.New(settings.Config{AtLeastOnce: true})), queues...)
}

func TestCases(t *testing.T) {
	vettest.Cases(t, "retrykey", 60)
}

func TestFacts(t *testing.T) {
	vettest.Run(t, retrykey.Analyzer, "./retrykey/facts/...", "./retrykey/helpers/...")
}

// TestFixes compares with the golden file; go vet's own type check of the result is in TestFixed.
func TestFixes(t *testing.T) {
	vettest.RunFixes(t, retrykey.Analyzer, "./retrykey/fixes")
}
