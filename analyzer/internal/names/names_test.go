package names

import (
	"slices"
	"testing"

	"github.com/idemgen/idemgen/analyzer/internal/settings"
)

// check runs a question over names that must be answered with yes and names that must be answered with no.
func check(t *testing.T, question string, ask func(string) bool, yes, no []string) {
	t.Helper()
	for _, name := range yes {
		if !ask(name) {
			t.Errorf("%s(%q) = false, want true", question, name)
		}
	}
	for _, name := range no {
		if ask(name) {
			t.Errorf("%s(%q) = true, want false", question, name)
		}
	}
}

func TestIsKey(t *testing.T) {
	check(t, "IsKey", IsKey,
		[]string{
			"Idempotency-Key", "idempotency-key", "X-Idempotency-Key", "x-idempotency-key", "Idempotence-Key", "X-idempotence-uuid",
			"Cko-Idempotency-Key", "Klarna-Idempotency-Key", "I-Twilio-Idempotency-Token", "Request-Idempotency-Key", "x-amz-idempotency-token",
			"PayPal-Request-Id", "Repeatability-Request-ID", "IdempotencyKey", "idempotencyKey", "idempotency_key", "IDEMPOTENCY_KEY",
			"idem_key", "idemKey", "IdempotencyToken", "idempotencyID", "idempotentRequestId", "paymentIdempotencyKey", "ClientRequestToken",
			"MessageDeduplicationId", "dedupKey", "dedupe_key", "customerTransactionId", "ApiRequestKey", "Nats-Msg-Id",
		},
		[]string{
			"", "key", "id", "X-Request-Id", "X-Request-ID", "requestID", "traceparent", "X-B3-TraceId", "X-Correlation-ID", "nonce", "consumerTag",
			"ClientToken", "clientToken", "unique_token", "reference", "IdempotencyKeyTTL", "idempotencyKeyHash", "IdempotencyKeyHeader", "idempotencyKeys",
			"headerIdempotencyKey", "HdrIdempotencyKey", "ErrMissingIdempotencyKey", "ctxIdempotencyKey", "contextKeyIdempotencyKey", "isIdempotent", "idempotencyEnabled",
			"Idempotency", "idempotencyRecordID", "Repeatability-First-Sent", "Repeatability-Client-ID", "Authorization", "epidemic_key", "accidemtoken", "EventID",
		})
}

func TestIsRequestID(t *testing.T) {
	check(t, "IsRequestID", IsRequestID,
		[]string{"X-Request-Id", "x-request-id", "requestId", "request_id", "reqID", "X-Correlation-ID", "traceId", "X-B3-TraceId", "traceparent", "nonce", "X-Nonce", "consumerTag", "amz-sdk-invocation-id", "spanID", "RequestID"},
		[]string{"", "PayPal-Request-Id", "Repeatability-Request-ID", "Idempotency-Key", "orderID", "id", "userId", "order"})
}

func TestIsAttempt(t *testing.T) {
	check(t, "IsAttempt", IsAttempt,
		[]string{"attempt", "Attempts", "attemptNo", "attempt_number", "numAttempts", "try", "tries", "tryNo", "retry", "retries", "retryCount", "nRetries", "currentAttempt", "i_try", "attempt2"},
		[]string{"", "i", "country", "entry", "registry", "maxAttempts", "MAX_RETRIES", "retryAfter", "retryDelay", "attemptID", "retryErr", "retryPolicy", "industry", "retryClient", "n"})
	check(t, "IsAttemptLimit", IsAttemptLimit,
		[]string{"maxAttempts", "MAX_RETRIES", "retryLimit", "MaxTries", "totalAttempts", "max_retry_count"},
		[]string{"", "attempt", "retries", "max", "maxRetryDelay", "maxEntries", "limit"})
}

func TestIsRetryFunc(t *testing.T) {
	check(t, "IsRetryFunc", IsRetryFunc,
		[]string{"Retry", "retry", "WithRetry", "withRetries", "DoWithRetry", "RetryOnConflict", "ExponentialBackoff", "callWithBackoff", "RunRetrying", "do_with_retry"},
		[]string{"", "Do", "NoRetry", "withoutRetry", "IsRetryable", "shouldRetry", "canRetry", "RetryAfter", "SetRetryCount", "RetryPolicy", "NewRetrier", "OnRetry", "Entry", "AddRetryHook", "RegisterRetryHandler"})
}

func TestIsKeyTable(t *testing.T) {
	check(t, "IsKeyTable", IsKeyTable,
		[]string{
			"idempotency_keys", "IdempotencyKeys", "idempotency_key", "public.idempotency_keys", `"app"."idempotency_keys"`, "`idempotency_records`", "idempotent_requests", "payments_idempotency",
			"processed_messages", "processed_events", "ProcessedEvent", "processed_webhook_events", "handled_messages", "consumed_events", "inbox", "inbox_messages", "message_inbox",
			"request_dedup", "dedup", "event_dedup", "message_deduplication", "dedupe_keys", "seen_events",
		},
		[]string{"", "payments", "keys", "api_keys", "events", "messages", "outbox", "outbox_messages", "requests", "processed_orders", "processed", "users", "audit_log", "mailbox", "inboxes_of_users"})
}

func TestIsKeyPrefix(t *testing.T) {
	check(t, "IsKeyPrefix", IsKeyPrefix,
		[]string{"idem:", "idempotency:\x00", "idempotency-key:%s", "processed:\x00", "app:idem:\x00", "dedup/", "seen:event:", "processed_events:\x00"},
		[]string{"", "\x00", "lock:\x00", "session:", "cache:user:\x00", "rate:%s", "user:%s:processed"})
}

func TestIsScopeColumn(t *testing.T) {
	check(t, "IsScopeColumn", IsScopeColumn,
		[]string{"tenant_id", "tenantId", "TenantID", "tenant", "account_id", "k.account_id", "merchant_id", "user_id", "org_id", "organization_id", "org", "company_id", "workspace_uuid", "api_key_id", "client_id", "consumer_group", "consumer", "scope", "project_id"},
		[]string{"", "id", "key", "idempotency_key", "created_at", "status", "order_id", "payment_id", "reference", "amount", "request_hash", "message_id", "event_id"})
}

func TestIsPersonal(t *testing.T) {
	check(t, "IsPersonal", IsPersonal,
		[]string{"email", "Email", "emails", "customerEmails", "phones", "customerEmail", "email_address", "userEmailAddress", "phone", "phoneNumber", "PhoneNumber", "msisdn", "firstName", "LastName", "IBAN", "cardNumber", "dateOfBirth", "ssn"},
		[]string{"", "name", "orderID", "emailID", "emailHash", "phoneVerified", "customerID", "mailbox", "company", "panel", "expand"})
}

func TestHouseNames(t *testing.T) {
	set := Of(&settings.Config{KeyNames: []string{"X-Acme-Once"}, KeyTables: []string{"once_tokens"}, Scope: []string{"house"}})
	if !set.IsKey("xAcmeOnce") || !set.IsKeyTable("app.once_tokens") || !set.IsScopeColumn("h.HOUSE") || !set.IsKeyPrefix("once_tokens:%s") {
		t.Error("a name of the house is not known")
	}
	if !set.IsKey("Idempotency-Key") || !set.IsKeyTable("idempotency_keys") || !set.IsScopeColumn("tenant_id") || !set.IsKeyPrefix("idem:") {
		t.Error("names of the house hide the known ones")
	}
	if set.IsKey("once") || set.IsKeyTable("once") || set.IsScopeColumn("") || set.IsKeyPrefix("") || set.IsKey("") {
		t.Error("a part of a name of the house counts as the name")
	}
	for _, nothing := range []*Set{nil, Of(nil), Of(&settings.Config{})} {
		if !nothing.IsKey("Idempotency-Key") || nothing.IsKey("X-Acme-Once") || nothing.IsKeyPrefix("\x00") {
			t.Error("without names of the house the known ones must hold")
		}
	}
}

func TestWords(t *testing.T) {
	for name, want := range map[string][]string{
		"maxRetries":  {"max", "retries"},
		"MAX_RETRIES": {"max", "retries"},
		"userID":      {"user", "id"},
		"userIDs":     {"user", "ids"},
		"HTTPClient":  {"http", "client"},
		"x-y__z":      {"x", "y", "z"},
		"attempt2":    {"attempt"},
		"42":          nil,
		"":            nil,
		"Ää":          {"ää"},
	} {
		if got := Words(name); !slices.Equal(got, want) {
			t.Errorf("Words(%q) = %q, want %q", name, got, want)
		}
	}
}
