package runtime

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // a UUID of version 5 is made with it; it hides nothing
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"

	"github.com/idemgen/idemgen/runtime/policy"
)

// downstreamNamespace is the namespace of the keys that are derived without a secret (RFC 9562, section 5.5). It never
// changes: another one would be another key for a call that was made already.
var downstreamNamespace = [16]byte{0xbb, 0x79, 0x69, 0x03, 0x02, 0xa1, 0x47, 0xf1, 0xac, 0x0f, 0x7d, 0xc2, 0xea, 0x86, 0x28, 0x50}

// minSecret is the shortest downstream secret, in bytes.
const minSecret = 16

// WithDownstreamSecrets has the idempotency keys for external calls derived by HMAC-SHA-256, with secrets[current], so that
// nobody who sees one can tell from which request it is, or make the one of another. Without this option they are UUIDs of
// version 5, which tell nothing either but can be made by whoever knows the client's key and the account.
//
// The id of the secret is stored with each request, and work that is taken up again derives with the same: to change the
// secret, add a new one and name it current, and keep the old one until all work that was begun with it has ended. A secret
// has at least 16 bytes.
func WithDownstreamSecrets(current string, secrets map[string][]byte) Option {
	return func(s *settings) error {
		if current == "" {
			return errors.New("WithDownstreamSecrets: the id of the current secret is empty")
		}
		if len(secrets[current]) == 0 {
			return fmt.Errorf("WithDownstreamSecrets: there is no secret %q", current)
		}
		for id, secret := range secrets {
			if len(secret) < minSecret {
				return fmt.Errorf("WithDownstreamSecrets: secret %q has %d bytes: it has at least %d", id, len(secret), minSecret)
			}
		}
		s.secret, s.secrets = current, maps.Clone(secrets)
		return nil
	}
}

// errSecretGone is work that was begun with a secret which the engine has not been given.
var errSecretGone = Explain("the downstream secret that the work was begun with is not among those of WithDownstreamSecrets; add it again", nil)

// derivation makes the downstream keys of one record.
type derivation struct {
	id        ID
	operation string
	secret    []byte // nil: UUIDs of version 5
}

// derivation is for the work of id that was begun with the secret of the given id; "" stands for none.
func (s *settings) derivation(id ID, operation, secret string) (derivation, error) {
	d := derivation{id: id, operation: operation}
	if secret == "" {
		return d, nil
	}
	if d.secret = s.secrets[secret]; d.secret == nil {
		return d, errSecretGone
	}
	return d, nil
}

// keys are the keys for the calls of a step.
func (d *derivation) keys(step *stepPlan) []DownstreamKey {
	keys := make([]DownstreamKey, len(step.downstream))
	for i, call := range step.downstream {
		keys[i] = DownstreamKey{Name: call.Name, Header: call.Header, Key: d.key(step.name, call.Name, call.Format)}
	}
	return keys
}

// key is the key for one call: a UUID in each format, since what takes any key takes one. Where the other side asks for a
// version, the key says that it is of that version; it is derived all the same, and one of version 7 holds no time.
func (d *derivation) key(step, name string, format policy.Format) string {
	f := make(fields, 0, 128)
	f.text(d.id.Scope)
	f.text(d.id.Key)
	f.text(d.operation)
	f.text(step)
	f.text(name)
	var sum []byte
	if d.secret == nil {
		hash := sha1.New() //nolint:gosec // see the import
		hash.Write(downstreamNamespace[:])
		hash.Write(f)
		sum = hash.Sum(nil)
	} else {
		hash := hmac.New(sha256.New, d.secret)
		hash.Write(f)
		sum = hash.Sum(nil)
	}
	version := byte(5)
	switch format {
	case policy.UUID4:
		version = 4
	case policy.UUID7:
		version = 7
	}
	return uuidText(sum, version)
}

// uuidText writes the first 16 bytes of sum as a UUID of the given version (RFC 9562, section 4).
func uuidText(sum []byte, version byte) string {
	var u [16]byte
	copy(u[:], sum)
	u[6] = u[6]&0x0f | version<<4
	u[8] = u[8]&0x3f | 0x80
	var text [36]byte
	hex.Encode(text[:8], u[:4])
	hex.Encode(text[9:13], u[4:6])
	hex.Encode(text[14:18], u[6:8])
	hex.Encode(text[19:23], u[8:10])
	hex.Encode(text[24:], u[10:])
	text[8], text[13], text[18], text[23] = '-', '-', '-', '-'
	return string(text[:])
}
