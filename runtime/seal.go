package runtime

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// Sealer encrypts the bodies of stored answers. It is called between the handler and the commit, and before each replay,
// from many goroutines; it should not depend on a service that may be down.
type Sealer interface {
	// Seal encrypts body and names the key that it used, in at most 255 bytes. associated is bound to the result: with
	// another one it does not open.
	Seal(ctx context.Context, body, associated []byte) (keyID string, sealed []byte, err error)
	// Open undoes Seal.
	Open(ctx context.Context, keyID string, sealed, associated []byte) (body []byte, err error)
}

// Sealed is a store that keeps its records in store and their bodies sealed by sealer. Status, headers and the times stay
// readable. A body is bound to its id and attempt, so that it cannot be moved to another record. Records that were written
// before there was a sealer are still read. A body that does not open is an error of the claim, and is answered with 503.
func Sealed[TX any](store Store[TX], sealer Sealer) (Store[TX], error) {
	if store == nil || sealer == nil {
		return nil, errors.New("runtime.Sealed: store and sealer are needed")
	}
	return &sealedStore[TX]{Store: store, sealer: sealer}, nil
}

type sealedStore[TX any] struct {
	Store[TX]
	sealer Sealer
}

// sealedMark begins every sealed body. It is followed by the length of the key's id, the id and what the sealer made.
var sealedMark = []byte("\x00idemgen sealed\x01")

// Claim implements [Store].
func (s *sealedStore[TX]) Claim(ctx context.Context, id ID, wait time.Duration) (Claim[TX], error) {
	claim, err := s.Store.Claim(ctx, id, wait)
	if err != nil {
		return Claim[TX]{}, err
	}
	if claim.Work != nil {
		claim.Work = &sealedWork[TX]{Work: claim.Work, store: s, id: id}
	}
	if claim.Record != nil {
		claim.Record, err = s.open(ctx, id, claim.Record)
		if err != nil {
			return Claim[TX]{}, fmt.Errorf("open a stored body: %w", err)
		}
	}
	return claim, nil
}

// Describe implements [Describer] where the store within does.
func (s *sealedStore[TX]) Describe(err error) []slog.Attr {
	if known, ok := s.Store.(Describer); ok {
		return known.Describe(err)
	}
	return nil
}

func (s *sealedStore[TX]) open(ctx context.Context, id ID, record *Record) (*Record, error) {
	rest, sealed := bytes.CutPrefix(record.Body, sealedMark)
	if !sealed {
		return record, nil
	}
	if len(rest) == 0 || len(rest) < 1+int(rest[0]) {
		return nil, errors.New("it is cut off")
	}
	keyID, rest := string(rest[1:1+rest[0]]), rest[1+rest[0]:]
	body, err := s.sealer.Open(ctx, keyID, rest, associated(id, record))
	if err != nil {
		return nil, err
	}
	opened := *record
	opened.Body = body
	return &opened, nil
}

type sealedWork[TX any] struct {
	Work[TX]
	store *sealedStore[TX]
	id    ID
}

// Commit implements [Work]. The given record stays as it is.
func (w *sealedWork[TX]) Commit(ctx context.Context, record *Record) error {
	if record == nil || record.BodyState != BodyStored {
		return w.Work.Commit(ctx, record)
	}
	keyID, sealed, err := w.store.sealer.Seal(ctx, record.Body, associated(w.id, record))
	if err == nil && len(keyID) > 255 {
		err = errors.New("the key's id is longer than 255 bytes")
	}
	if err != nil {
		return errors.Join(fmt.Errorf("seal a body: %w", err), w.Rollback(ctx))
	}
	copied := *record
	copied.Body = make([]byte, 0, len(sealedMark)+1+len(keyID)+len(sealed))
	copied.Body = append(copied.Body, sealedMark...)
	copied.Body = append(copied.Body, byte(len(keyID)))
	copied.Body = append(copied.Body, keyID...)
	copied.Body = append(copied.Body, sealed...)
	return w.Work.Commit(ctx, &copied)
}

// associated is what a sealed body belongs to.
func associated(id ID, record *Record) []byte {
	f := make(fields, 0, 64)
	f.text(id.Scope)
	f.text(id.Key)
	f.bytes(record.Attempt[:])
	return f
}

// AESGCM seals with AES in Galois/Counter Mode (NIST SP 800-38D) and a random nonce. It is safe for concurrent use. A key
// should seal no more than 2^32 bodies.
type AESGCM struct {
	current string
	keys    map[string]cipher.AEAD
}

// NewAESGCM returns a sealer that seals with keys[current] and opens with any of keys, by id. A key has 16, 24 or 32
// bytes. To change keys, add a new one and name it current; keep the old one until its records have expired.
func NewAESGCM(current string, keys map[string][]byte) (*AESGCM, error) {
	s := &AESGCM{current: current, keys: make(map[string]cipher.AEAD, len(keys))}
	for id, key := range keys {
		block, err := aes.NewCipher(key)
		if err != nil {
			return nil, fmt.Errorf("runtime.NewAESGCM: key %q: %w", id, err)
		}
		aead, err := cipher.NewGCM(block)
		if err != nil {
			return nil, fmt.Errorf("runtime.NewAESGCM: key %q: %w", id, err)
		}
		s.keys[id] = aead
	}
	if s.keys[current] == nil {
		return nil, fmt.Errorf("runtime.NewAESGCM: there is no key %q", current)
	}
	return s, nil
}

// Seal implements [Sealer].
func (s *AESGCM) Seal(_ context.Context, body, associated []byte) (keyID string, sealed []byte, err error) {
	aead := s.keys[s.current]
	nonce := make([]byte, aead.NonceSize(), aead.NonceSize()+len(body)+aead.Overhead())
	_, _ = rand.Read(nonce) // never fails
	return s.current, aead.Seal(nonce, nonce, body, associated), nil
}

// Open implements [Sealer].
func (s *AESGCM) Open(_ context.Context, keyID string, sealed, associated []byte) ([]byte, error) {
	aead := s.keys[keyID]
	if aead == nil {
		return nil, fmt.Errorf("there is no key %q", keyID)
	}
	if len(sealed) < aead.NonceSize() {
		return nil, errors.New("the sealed body is cut off")
	}
	nonce, text := sealed[:aead.NonceSize()], sealed[aead.NonceSize():]
	return aead.Open(nil, nonce, text, associated)
}
