// Package ids is where a house mints.
package ids

import (
	"crypto/rand"
	"encoding/hex"
	"strings"

	"github.com/google/uuid"
)

// New is a new identifier.
func New() string { return strings.ToLower(uuid.NewString()) }

// Prefixed is new, whatever it is given.
func Prefixed(prefix string) string { return prefix + "_" + New() }

// Bytes has an error beside the value.
func Bytes() ([]byte, error) {
	b := make([]byte, 16)
	if _, err := rand.Read(b); err != nil {
		return nil, err
	}
	return b, nil
}

// Hex puts it into letters.
func Hex() (string, error) {
	b, err := Bytes()
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(b), nil
}

// Or is given, else new.
func Or(given string) string {
	if given != "" {
		return given
	}
	return New()
}

// Pointer keeps what it is given.
func Pointer[T any](v T) *T { return &v }

// Ref is an identifier with what it is of.
type Ref struct {
	Kind, ID string
}

// NewRef has a new identifier in a member.
func NewRef(kind string) Ref { return Ref{Kind: kind, ID: New()} }

// Generator mints in a method.
type Generator struct{ prefix string }

// Next is new.
func (g *Generator) Next() string { return g.prefix + New() }

// Known is mended where it stands.
func Known() string {
	//idemvet:ignore retrykey callers keep what they get
	return uuid.NewString()
}
