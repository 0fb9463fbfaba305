package storeflow

import "testing"

func TestNamesOfTables(t *testing.T) {
	for name, want := range map[string]string{
		"Payment": "payments", "LedgerEntry": "ledger_entries", "Address": "addresses", "Batch": "batches", "Box": "boxes", "Status": "statuses",
		"Person": "people", "Child": "children", "News": "news", "Payments": "payments", "Key": "keys", "APIKey": "api_keys", "UserData": "user_data",
		"Analysis": "analyses", "Bus": "buses", "Alias": "aliases", "Survey": "surveys", "Category": "categories", "HTTPRequest": "http_requests",
	} {
		if got := plural(underscored(name)); got != want {
			t.Errorf("rows of %s are in %s, want %s", name, got, want)
		}
	}
}

func TestNamesOfColumns(t *testing.T) {
	for name, want := range map[string]string{
		"ID": "id", "Reference": "reference", "AccountID": "account_id", "IdempotencyKey": "idempotency_key", "HTTPStatus": "http_status",
		"UserIDs": "user_ids", "OAuth2Token": "o_auth2_token", "URL": "url", "A": "a", "": "",
	} {
		if got := underscored(name); got != want {
			t.Errorf("%s is in column %s, want %s", name, got, want)
		}
	}
}

func TestKeyEqualities(t *testing.T) {
	for condition, want := range map[string]string{
		"pk = :v": "pk", "pk=:v AND begins_with(sk, :s)": "pk", "#r = :r and sk > :s": "#r", "pk = :a AND sk = :b": "pk sk", "": "", "begins_with(pk, :p)": "",
	} {
		got := ""
		for _, column := range keyEqualities(condition) {
			if got != "" {
				got += " "
			}
			got += column
		}
		if got != want {
			t.Errorf("%q compares %q, want %q", condition, got, want)
		}
	}
}
