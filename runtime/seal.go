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

// Sealer encrypts what is stored of requests and of their answers. It is called between the handler and the commit, before
// each replay, and in lease mode at each claim and after each step, from many goroutines; it should not depend on a service
// that may be down. A panic counts as an error.
type Sealer interface {
	// Seal encrypts body and names the key that it used, in at most 255 bytes. associated is bound to the result: with
	// another one it does not open.
	Seal(ctx context.Context, body, associated []byte) (keyID string, sealed []byte, err error)
	// Open undoes Seal.
	Open(ctx context.Context, keyID string, sealed, associated []byte) (body []byte, err error)
}

// Sealed is a store that keeps its records in store and their bodies sealed by sealer; where store is a [LeaseStore], it is
// one too, and the stored requests and the results of steps are sealed as well. Status, headers, the names of steps, the
// times and the id, of which the client's key is a part, stay readable.
//
// A body is bound to its id and attempt, a request to its id and fingerprint, a result to its id and step, so that none can
// be moved to where it does not belong. Records that were written before there was a sealer are still read.
//
// A body that does not open is answered with 503, which says that the request was carried out; so is one that this process has
// no sealer for. A request that cannot be sealed is answered with 503, and nothing has been done. A request or a result that does not open leaves the work in progress, to be taken up again
// later; so does a result that cannot be sealed, whose step has happened.
func Sealed[TX any](store Store[TX], sealer Sealer) (Store[TX], error) {
	if store == nil || sealer == nil {
		return nil, errors.New("runtime.Sealed: store and sealer are needed")
	}
	sealed := &sealedStore[TX]{Store: store, sealer: sealer}
	if leases, ok := store.(LeaseStore[TX]); ok {
		return &sealedLeases[TX]{sealed, leases}, nil
	}
	return sealed, nil
}

type sealedStore[TX any] struct {
	Store[TX]
	sealer Sealer
}

// sealedMark begins everything that is sealed. It is followed by the length of the key's id, the id and what the sealer made.
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
		claim.Record = s.openRecord(ctx, id, claim.Record)
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

// RecordName implements [RecordNamer] where the store within does.
func (s *sealedStore[TX]) RecordName(id ID) string {
	if known, ok := s.Store.(RecordNamer); ok {
		return known.RecordName(id)
	}
	return ""
}

// Now implements [Clock] by the clock of the store within, where that tells its time.
func (s *sealedStore[TX]) Now(ctx context.Context) (time.Time, error) {
	if clock, ok := s.Store.(Clock); ok {
		return clock.Now(ctx)
	}
	return time.Now(), nil
}

// openRecord is record with its body opened. One that does not open says so: the request was carried out all the same.
func (s *sealedStore[TX]) openRecord(ctx context.Context, id ID, record *Record) *Record {
	opened := *record
	body, err := s.open(ctx, record.Body, bodyOf(id, record.Attempt))
	opened.Body = body
	if err != nil {
		opened.Body, opened.Unreadable = nil, Explain("a stored body does not open", err)
	}
	return &opened
}

// sealRecord is record with its body sealed. The given one stays as it is.
func (s *sealedStore[TX]) sealRecord(ctx context.Context, id ID, record *Record) (*Record, error) {
	if record == nil || record.BodyState != BodyStored {
		return record, nil
	}
	body, err := s.seal(ctx, record.Body, bodyOf(id, record.Attempt))
	if err != nil {
		return nil, Explain("a body cannot be sealed", err)
	}
	sealed := *record
	sealed.Body = body
	return &sealed, nil
}

// seal seals plain, whatever the sealer does.
func (s *sealedStore[TX]) seal(ctx context.Context, plain, associated []byte) (sealed []byte, err error) {
	var keyID string
	err = caught(func() (err error) {
		keyID, sealed, err = s.sealer.Seal(ctx, plain, associated)
		return err
	})
	if err == nil && len(keyID) > 255 {
		err = errors.New("the key's id is longer than 255 bytes")
	}
	if err != nil {
		return nil, err
	}
	marked := make([]byte, 0, len(sealedMark)+1+len(keyID)+len(sealed))
	marked = append(marked, sealedMark...)
	marked = append(marked, byte(len(keyID)))
	marked = append(marked, keyID...)
	return append(marked, sealed...), nil
}

// open undoes seal. What is not sealed was written before there was a sealer, and is returned as it is.
func (s *sealedStore[TX]) open(ctx context.Context, stored, associated []byte) (plain []byte, err error) {
	rest, sealed := bytes.CutPrefix(stored, sealedMark)
	if !sealed {
		return stored, nil
	}
	if len(rest) == 0 || len(rest) < 1+int(rest[0]) {
		return nil, errors.New("it is cut off")
	}
	end := 1 + int(rest[0])
	keyID, rest := string(rest[1:end]), rest[end:]
	err = caught(func() (err error) {
		plain, err = s.sealer.Open(ctx, keyID, rest, associated)
		return err
	})
	if err != nil {
		return nil, err
	}
	return plain, nil
}

type sealedWork[TX any] struct {
	Work[TX]
	store *sealedStore[TX]
	id    ID
}

// Commit implements [Work]. The given record stays as it is.
func (w *sealedWork[TX]) Commit(ctx context.Context, record *Record) error {
	sealed, err := w.store.sealRecord(ctx, w.id, record)
	if err != nil {
		return errors.Join(err, w.Rollback(ctx))
	}
	return w.Work.Commit(ctx, sealed)
}

// bodyOf is what the sealed body of an answer belongs to. It has no name of its kind, unlike the others, since bodies were
// the first to be sealed; with its three parts it is none of theirs.
func bodyOf(id ID, attempt [16]byte) []byte {
	f := make(fields, 0, 64)
	f.text(id.Scope)
	f.text(id.Key)
	f.bytes(attempt[:])
	return f
}

// AESGCM seals with AES in Galois/Counter Mode (NIST SP 800-38D) and a random nonce. It is safe for concurrent use. A key
// should seal no more than 2^32 times.
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
