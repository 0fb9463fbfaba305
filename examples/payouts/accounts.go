package main

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/idemgen/idemgen/runtime"
)

// accounts maps bearer tokens to accounts. A real service asks its own authentication.
var accounts = map[string]string{
	"token-1": "account-1",
	"token-2": "account-2",
}

// account says who is asking: it is what keeps the keys of two accounts apart.
func account(r *http.Request) (string, error) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", fmt.Errorf("no bearer token: %w", runtime.ErrUnauthenticated)
	}
	name, ok := accounts[token]
	if !ok {
		return "", fmt.Errorf("unknown bearer token: %w", runtime.ErrUnauthenticated)
	}
	return name, nil
}
