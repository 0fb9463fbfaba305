package pgstore

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/idemgen/idemgen/runtime"
)

// lockNumber is the advisory lock of an id: 64 bits of a hash that nobody can steer, so that no client can make its keys
// collide with those of another account. A chance collision costs a wait or a 409, never a second run: the primary key
// decides.
func lockNumber(table string, id runtime.ID) int64 {
	// Typical ids fit the array, so that hashing allocates nothing.
	var array [256]byte
	text := append(array[:0], "idemgen"...)
	for _, part := range [...]string{table, id.Scope, id.Key} {
		text = binary.BigEndian.AppendUint32(text, uint32(len(part)))
		text = append(text, part...)
	}
	sum := sha256.Sum256(text)
	return int64(binary.BigEndian.Uint64(sum[:8]))
}
