package sdktest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/ebs"
	"github.com/aws/smithy-go"
	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/internal/profiletest"
	"github.com/idemgen/idemgen/runtime"
)

// snapshots is the operation that the AWS SDK calls, with its key in the body.
const snapshots = `openapi: 3.1.0
info: {title: Snapshots, version: "1"}
x-idempotency: {version: 1, profile: aws}
paths:
  /snapshots:
    post:
      operationId: startSnapshot
      x-idempotency: {mode: %s}
      requestBody:
        content:
          application/json:
            schema: {type: object, properties: {ClientToken: {type: string}, VolumeSize: {type: integer}}}
      responses:
        "201": {description: The snapshot., content: {application/json: {schema: {type: object}}}}
`

// lab is the AWS SDK with a service under the aws profile.
type lab struct {
	*profiletest.Service
	t       *testing.T
	network *network
	client  *ebs.Client
}

func newLab(t *testing.T, mode string, work profiletest.Work) *lab {
	t.Helper()
	l := &lab{t: t, network: &network{key: func(_ *http.Request, body []byte) string {
		var input struct{ ClientToken string }
		_ = json.Unmarshal(body, &input)
		return input.ClientToken
	}}}
	l.Service = profiletest.Start(t, profiletest.Options{Document: fmt.Sprintf(snapshots, mode), Work: work, Current: completed, Principal: signer})
	l.client = ebs.New(ebs.Options{
		BaseEndpoint: &l.URL, Region: "eu-west-1", HTTPClient: &http.Client{Transport: l.network},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "secret"}, nil
		}),
		Retryer: retry.NewStandard(func(o *retry.StandardOptions) { o.MaxBackoff = time.Millisecond }),
	})
	return l
}

var accessKey = regexp.MustCompile(`^AWS4-HMAC-SHA256 Credential=([^/]+)/`)

// signer takes the access key's id for the account. It does not check the signature, which is not what is tested.
func signer(r *http.Request) (string, error) {
	found := accessKey.FindStringSubmatch(r.Header.Get("Authorization"))
	if found == nil {
		return "", fmt.Errorf("no signature: %w", runtime.ErrUnauthenticated)
	}
	return found[1], nil
}

// start begins a snapshot, whose state changes with each look.
func start(ctx context.Context, tx pgx.Tx, call *runtime.Call[pgx.Tx], s *profiletest.Service) (runtime.Response, error) {
	id, err := s.Ledger.Add(ctx, tx, profiletest.Payment{Account: call.Principal(), Key: call.Key()})
	if err != nil {
		return runtime.Response{}, fmt.Errorf("start a snapshot: %w", err)
	}
	return asJSON(http.StatusCreated, map[string]any{"SnapshotId": "snap-" + id, "Status": "pending", "VolumeSize": 8})
}

// completed is the snapshot as it is at a repetition.
func completed(_ context.Context, _ pgx.Tx, first *runtime.First) (runtime.Response, error) {
	var body map[string]any
	if err := json.Unmarshal(first.Body, &body); err != nil {
		return runtime.Response{}, err
	}
	body["Status"] = "completed"
	return asJSON(first.Status, body)
}

func (l *lab) start(token *string, size int64) (*ebs.StartSnapshotOutput, error) {
	return l.client.StartSnapshot(l.t.Context(), &ebs.StartSnapshotInput{ClientToken: token, VolumeSize: &size})
}

func (l *lab) wantEffects(key string, want int) {
	l.t.Helper()
	got, err := l.Ledger.Count(l.t.Context(), "startSnapshot", key)
	if err != nil || got != want {
		l.t.Errorf("%d snapshots, want %d (%v)", got, want, err)
	}
}

// I1, L2, K1: the answer is lost; the SDK asks again with the token that it put into the body, and learns the state that the
// snapshot has by then.
func TestAWS_I1_L2_K1_LostAnswer(t *testing.T) {
	for _, mode := range []string{"transaction", "lease"} {
		t.Run(mode, func(t *testing.T) {
			l := newLab(t, mode, start)
			l.network.lose = func(attempt int) bool { return attempt == 1 }
			snapshot, err := l.start(nil, 8)
			if err != nil {
				t.Fatal(err)
			}
			key := l.network.wantOneKey(t, 2)
			l.wantEffects(key, 1)
			again, err := l.start(&key, 8)
			if err != nil || *again.SnapshotId != *snapshot.SnapshotId {
				t.Errorf("%v: %+v", err, again)
			}
			if snapshot.Status != "completed" || again.Status != "completed" {
				t.Errorf("status %s, then %s", snapshot.Status, again.Status)
			}
			l.wantEffects(key, 1)
		})
	}
}

// F4, C5: the same token with other parameters is the error that AWS names so, and is not tried again.
func TestAWS_F4_C5_Mismatch(t *testing.T) {
	l := newLab(t, "transaction", start)
	token := "0a1b2c3d"
	if _, err := l.start(&token, 8); err != nil {
		t.Fatal(err)
	}
	_, err := l.start(&token, 16)
	var known smithy.APIError
	if !errors.As(err, &known) || known.ErrorCode() != "IdempotentParameterMismatch" || known.ErrorMessage() == "" {
		t.Fatalf("%v", err)
	}
	if len(l.network.keys) != 2 {
		t.Errorf("%d attempts", len(l.network.keys))
	}
	l.wantEffects(token, 1)
}

// R4: a handler that fails leaves nothing, and the SDK's next attempt is the first again.
func TestAWS_R4_Failure(t *testing.T) {
	var runs atomic.Int64
	l := newLab(t, "transaction", func(ctx context.Context, tx pgx.Tx, call *runtime.Call[pgx.Tx], s *profiletest.Service) (runtime.Response, error) {
		answer, err := start(ctx, tx, call, s)
		if runs.Add(1) == 1 {
			return runtime.Response{}, errors.New("the disk is full")
		}
		return answer, err
	})
	if _, err := l.start(nil, 8); err != nil {
		t.Fatal(err)
	}
	l.wantEffects(l.network.wantOneKey(t, 2), 1)
}

// K4: a token that is too long is the SDK's caller's mistake, by AWS's name.
func TestAWS_K4_Malformed(t *testing.T) {
	l := newLab(t, "transaction", start)
	token := fmt.Sprintf("%065d", 1)
	_, err := l.start(&token, 8)
	var known smithy.APIError
	if !errors.As(err, &known) || known.ErrorCode() != "InvalidParameterValue" {
		t.Fatalf("%v", err)
	}
	l.wantEffects(token, 0)
}
