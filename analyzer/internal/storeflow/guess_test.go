package storeflow

import (
	"slices"
	"testing"
)

func TestFirstWord(t *testing.T) {
	for name, want := range map[string]string{
		"Create": "insert", "createAccount": "insert", "AddAccount": "insert", "Address": "", "SaveTx": "insert",
		"FindByKey": "read", "GetByID": "read", "Get": "read", "Hash": "", "HasKey": "read", "IsProcessed": "read", "Issue": "",
		"SettleAll": "", "SetStatus": "update", "MarkDone": "update", "DeleteByID": "delete", "Close": "",
	} {
		got := ""
		switch {
		case startsWith(name, insertPrefixes):
			got = "insert"
		case startsWith(name, readPrefixes):
			got = "read"
		case startsWith(name, updatePrefixes):
			got = "update"
		case startsWith(name, deletePrefixes):
			got = "delete"
		}
		if got != want {
			t.Errorf("%s is taken for %q, want %q", name, got, want)
		}
	}
}

func TestColumnsInNames(t *testing.T) {
	for name, want := range map[string][]string{
		"FindByIdempotencyKey":   {"idempotency_key"},
		"GetByTenantIDAndKey":    {"tenant_id", "key"},
		"FindByEmailForUpdate":   {"email"},
		"ListByIDs":              {"ids"},
		"Find":                   nil,
		"GetByHTTPRequestDigest": {"http_request_digest"},
	} {
		if got := columnsIn(name); !slices.Equal(got, want) {
			t.Errorf("%s compares %v, want %v", name, got, want)
		}
	}
}

func TestBoundFindsTheLongestPath(t *testing.T) {
	role := Role{Binds: []Binding{
		{Field: "", Executor: Executor{Kind: Receiver}},
		{Field: "q.db", Executor: Executor{Kind: Param, Index: 1}},
		{Field: "repo", Executor: Executor{Kind: Param, Index: 2, Field: "inner"}},
	}}
	for path, want := range map[string]Executor{
		"q.db":        {Kind: Param, Index: 1},
		"db":          {Kind: Receiver, Field: "db"},
		"repo.pool":   {Kind: Param, Index: 2, Field: "inner.pool"},
		"repository":  {Kind: Receiver, Field: "repository"},
		"repo":        {Kind: Param, Index: 2, Field: "inner"},
		"q.db.origin": {Kind: Param, Index: 1, Field: "origin"},
	} {
		if got, ok := role.bound(0, path); !ok || got != want {
			t.Errorf("%s is %+v, want %+v", path, got, want)
		}
	}
	if _, ok := role.bound(1, "db"); ok {
		t.Error("another result is bound")
	}
}
