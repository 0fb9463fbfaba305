package audit

import (
	"strings"
	"testing"

	"github.com/idemgen/idemgen/generator/diag"
)

// findingsOf are the findings of a rule in a document.
func findingsOf(t *testing.T, rule, content string) []Finding {
	t.Helper()
	doc, found := load(t, content)
	var list []Finding
	for _, f := range Run(doc, found).Findings {
		if f.Rule == rule {
			list = append(list, f)
		}
	}
	return list
}

// What lies just beside a finding, and is none, or is one of another weight.
func TestRun_Distinctions_H1_H2(t *testing.T) {
	retries := "x-speakeasy-retries: {strategy: backoff, backoff: {maxElapsedTime: 7200000}}"
	search := "/payments/search"
	stream := func(status string) string {
		return "responses: {'204': {description: ok}, '" + status + "': {description: s, content: {text/event-stream: {}}}}"
	}
	refusal := func(inFlight string) string {
		return document("", operation("post", "/payments", "responses: {'201': {description: ok}, '409': {description: no}}", "x-idempotency: {store: {statuses: [2XX]}, errors: {inFlight: {status: "+inFlight+"}}}"))
	}
	consumer := func(retention string) string {
		return document("x-idempotency: {consumers: [{name: c, event: '#/components/schemas/E', id: /id, retention: "+retention+"}]}", operation("post", "/payments", "x-idempotency: {retention: PT24H}"))
	}
	keyOf := func(schema string) string { return strings.Replace(keyHeader, "type: string", schema, 1) }
	for _, test := range []struct {
		name, rule, content string
		want                int
		severity            diag.Severity // of the first
		says                string
	}{
		{"an answer that streams", "streaming-response", document("", operation("post", "/answers", stream("200"))), 1, diag.Info, ""},
		{"an error that streams", "streaming-response", document("", operation("post", "/answers", stream("400"))), 0, "", ""},
		{"a read that streams", "streaming-response", document("", operation("post", search, stream("200"))), 0, "", ""},
		{"clients repeat a read", "retried-without-key", document(retries, operation("post", search)), 0, "", ""},
		{"clients repeat for as long as a key is remembered", "retries-outlast", document(retries, operation("post", "/payments", "x-idempotency: {retention: PT2H}")), 1, diag.Error, ""},
		{"a key that is an e-mail address", "key-minted", document("", operation("post", "/payments", keyOf("type: string, format: email"))), 1, diag.Warning, "an e-mail address"},
		{"409 may be the answer to a duplicate", "stores-no-error", refusal("409"), 0, "", ""},
		{"409 is an outcome", "stores-no-error", refusal("425"), 1, diag.Warning, "409"},
		{"an optional key where a repeat makes another one", "key-optional", document("", operation("post", "/sessions", "operationId: createSession", "x-idempotency: optional")), 0, "", ""},
		{"a profile keeps every 5xx", "stores-every-error", document("", operation("post", "/payments", "x-idempotency: {profile: stripe, mode: lease, steps: [pay]}")), 1, diag.Info, ""},
		{"a consumer remembers as long as the key", "consumer-retention", consumer("PT24H"), 0, "", ""},
		{"a consumer remembers longer", "consumer-retention", consumer("PT25H"), 1, diag.Info, ""},
		{"a key for each item of a batch", "undecided", document("", operation("post", "/batches",
			"requestBody: {content: {application/json: {schema: {type: object, properties: {items: {type: array, items: {type: object, properties: {idempotency_key: {type: string}}}}}}}}}")), 1, diag.Warning, "each item of a batch"},
		{"retries for two operations, stated once", "retry-layers", document(retries, operation("post", "/payments", "x-idempotency: required")+operation("post", "/refunds", "x-idempotency: required")), 1, diag.Info, ""},
		{"one declaration that two operations share", "low-entropy", document("components: {parameters: {Key: {name: Idempotency-Key, in: header, schema: {type: string, maxLength: 8}}}}",
			operation("post", "/payments", "parameters: [{$ref: '#/components/parameters/Key'}]")+operation("post", "/refunds", "parameters: [{$ref: '#/components/parameters/Key'}]")), 1, diag.Warning, ""},
		{"a deletion that a word makes relative", "relative-change", document("", operation("delete", "/balances/{id}/increment")), 0, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			list := findingsOf(t, test.rule, test.content)
			if len(list) != test.want {
				t.Fatalf("%d findings of %s, want %d: %+v", len(list), test.rule, test.want, list)
			}
			if test.want > 0 && (list[0].Severity != test.severity || !strings.Contains(list[0].Message, test.says)) {
				t.Errorf("%s: %s; want %s, and %q", list[0].Severity, list[0].Message, test.severity, test.says)
			}
		})
	}
}

// Findings of one rule in one operation are told apart, else a baseline with one of them would hide the next.
func TestRun_FindingsOfOneRuleHaveIDsOfTheirOwn(t *testing.T) {
	keys := "parameters: [{name: Idempotency-Key, in: header, schema: {type: string, format: date-time}}, {name: X-Idempotency-Key, in: header, schema: {type: string, format: date-time}}]"
	list := findingsOf(t, "key-minted", document("", operation("post", "/payments", keys)))
	if len(list) != 2 || list[0].ID == list[1].ID {
		t.Errorf("%+v", list)
	}
}

// The ID of a finding about the document does not hang on how many operations another one is about: a baseline would not
// know it again.
func TestRun_IDsOfTheDocumentStayWhenAnOperationComes(t *testing.T) {
	const retries = "x-speakeasy-retries: {strategy: backoff, backoff: {maxElapsedTime: 7200000}}"
	first, last := operation("post", "/payments", "x-idempotency: required"), operation("post", "/refunds", "x-idempotency: required", retries)
	ids := func(paths string) (text string) {
		for _, f := range findingsOf(t, "retry-layers", document(retries, paths)) {
			text += f.ID + " "
		}
		return text
	}
	if before, after := ids(first+last), ids(first+operation("post", "/payouts", "x-idempotency: required")+last); before != after || strings.Count(before, " ") != 2 {
		t.Errorf("%q became %q", before, after)
	}
}

// What the score is not about takes one mark away where something is found.
func TestScore_AnotherOperationTakesAMark(t *testing.T) {
	decided := operation("post", "/payments", "x-idempotency: {retryWindow: PT6H}")
	for paths, want := range map[string]Score{
		decided: {100, 3, 3},
		decided + operation("put", "/stock/{id}/increment"): {66, 2, 3},
	} {
		doc, found := load(t, document("", paths))
		if got := Run(doc, found).Score; got != want {
			t.Errorf("%+v, want %+v, of\n%s", got, want, paths)
		}
	}
}

// A word of a document is shown as it is in the Markdown table, and is neither markup nor a site generator's mark.
func TestMarkdown_ShowsWordsAsTheyAre(t *testing.T) {
	r := &Report{Operations: []Operation{{ID: "a`b|c{{d}}", Key: &Key{In: "header", Name: "X~~K~~{{x}}"}}}}
	row := strings.Split(r.Markdown(), "\n")[2]
	for _, want := range []string{"<code>a&#96;b&#124;c&#123;&#123;d&#125;&#125;</code>", `header X\~\~K\~\~&#123;&#123;x&#125;&#125;, optional`} {
		if !strings.Contains(row, want) {
			t.Errorf("the row lacks %s: %s", want, row)
		}
	}
}
