package pgstore

import "encoding/hex"

// A key column begins with one of these bytes, which no UTF-8 text does, or is the key's text as it is.
const (
	packedUUID  = 0xff // the 16 bytes of a UUID in its canonical, lower-case form follow
	escapedText = 0xfe // a text that begins with one of the two follows
)

// packKey is a key as the table holds it. Most keys are UUIDs: their 16 bytes instead of 36 characters make a fifth of the
// index go away, and keep the order of time-ordered ones. Two keys never share a packing, so that keys stay compared as
// they were sent: a UUID in capitals is another key, and a text.
func packKey(key string) []byte {
	if uuid, ok := canonicalUUID(key); ok {
		return append([]byte{packedUUID}, uuid[:]...)
	}
	if key[0] == packedUUID || key[0] == escapedText {
		return append([]byte{escapedText}, key...)
	}
	return []byte(key)
}

// unpackKey is the key that packKey has made packed of.
func unpackKey(packed []byte) string {
	switch {
	case len(packed) == 17 && packed[0] == packedUUID:
		digits := hex.EncodeToString(packed[1:])
		return digits[:8] + "-" + digits[8:12] + "-" + digits[12:16] + "-" + digits[16:20] + "-" + digits[20:]
	case len(packed) > 0 && packed[0] == escapedText:
		return string(packed[1:])
	default:
		return string(packed)
	}
}

// canonicalUUID reads a UUID as RFC 9562, section 4, has it written.
func canonicalUUID(key string) (uuid [16]byte, ok bool) {
	if len(key) != 36 || key[8] != '-' || key[13] != '-' || key[18] != '-' || key[23] != '-' {
		return uuid, false
	}
	var digits [32]byte
	n := copy(digits[:], key[:8])
	n += copy(digits[n:], key[9:13])
	n += copy(digits[n:], key[14:18])
	n += copy(digits[n:], key[19:23])
	copy(digits[n:], key[24:])
	for _, c := range digits {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return uuid, false
		}
	}
	_, err := hex.Decode(uuid[:], digits[:])
	return uuid, err == nil
}
