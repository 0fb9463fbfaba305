package runtime

import (
	"context"
	"net/http"
	"reflect"
	"strings"
	"testing"
)

// R8: a stored request can be read, and what is sealed is told from what is not.
func TestReadStoredRequest_R8(t *testing.T) {
	e := &envelope{method: "POST", host: "api", path: "/a%2Fb", query: "x=1", header: http.Header{"X-Tenant": {"t"}}, body: []byte("{}"), principal: "acct_0001", key: "\xff"}
	got, err := ReadStoredRequest(e.encode())
	want := StoredRequest{Method: "POST", Host: "api", Target: "/a%2Fb?x=1", Header: http.Header{"X-Tenant": {"t"}}, Body: []byte("{}"), Principal: "acct_0001", Key: "\xff"}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, id := range []string{"k1", "", strings.Repeat("k", 255)} {
		sealer, err := NewAESGCM(id, map[string][]byte{id: make([]byte, 32)})
		if err != nil {
			t.Fatal(err)
		}
		store := &sealedStore[any]{sealer: sealer}
		sealed, err := store.seal(context.Background(), e.encode(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if by, ok := SealedBy(sealed[:min(len(sealed), 300)]); !ok || by != id {
			t.Errorf("sealed by %q, %t; want %q", by, ok, id)
		}
		if plain, err := store.open(context.Background(), sealed, nil); err != nil || string(plain) != string(e.encode()) {
			t.Errorf("a key's id of %d bytes: %v", len(id), err)
		}
		if _, err := ReadStoredRequest(sealed); err == nil {
			t.Error("a sealed request was read")
		}
	}
	for _, plain := range []string{"", "x", string(sealedMark), string(sealedMark) + "\x02k", `{"id":1}`} {
		if by, ok := SealedBy([]byte(plain)); ok {
			t.Errorf("%q is sealed by %q", plain, by)
		}
	}
}
