package wire

import (
	"net/mail"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

type format struct {
	what  string // "must be ..."
	valid func(text string) bool
}

// formats are the values of `format` that are checked. A format that is not here is an annotation, as JSON Schema has
// it.
var formats = map[string]format{
	"uuid":      {"a UUID, such as 123e4567-e89b-12d3-a456-426614174000", isUUID},
	"email":     {"an e-mail address", isEmail},
	"date":      {"a date of RFC 3339, such as 2006-01-02", func(s string) bool { _, err := ParseDate(s); return err == nil }},
	"date-time": {"a date-time of RFC 3339, such as 2006-01-02T15:04:05Z", func(s string) bool { _, ok := parseDateTime(s); return ok }},
	"uri":       {"an absolute URI", isURI},
	"url":       {"an absolute URI", isURI},
	"ipv4":      {"an IPv4 address", func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is4() }},
	"ipv6":      {"an IPv6 address", func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is6() && a.Zone() == "" }},
	"hostname":  {"a host name", isHostname},
	"byte":      {"base64 with padding (RFC 4648, section 4)", func(s string) bool { _, ok := decodeBase64(s); return ok }},
}

// KnownFormat reports whether [Value.Format] checks a format: uuid, email, date, date-time, uri, url, ipv4, ipv6,
// hostname and byte.
func KnownFormat(name string) bool {
	_, known := formats[name]
	return known
}

// isUUID reports whether text is a UUID in its usual form (RFC 9562, section 4), in either case.
func isUUID(text string) bool {
	if len(text) != 36 {
		return false
	}
	for i := range len(text) {
		c := text[i]
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if !isDigit(c) && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
				return false
			}
		}
	}
	return true
}

// isEmail accepts one bare address of RFC 5322, without a display name or comment.
func isEmail(text string) bool {
	address, err := mail.ParseAddress(text)
	return err == nil && address.Address == text && !strings.ContainsAny(text, " <>()")
}

// isURI accepts a URI with a scheme (RFC 3986, section 3).
func isURI(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" || strings.ContainsAny(text, " <>\"{}|\\^`") {
		return false
	}
	for i := range len(text) {
		if text[i] <= ' ' || text[i] >= 0x7f {
			return false
		}
	}
	return u.Host != "" || u.Opaque != "" || u.Path != ""
}

// isHostname accepts a host name of RFC 1123, section 2.1.
func isHostname(text string) bool {
	if text == "" || len(text) > 253 {
		return false
	}
	for label := range strings.SplitSeq(text, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for i := range len(label) {
			c := label[i] | 0x20
			if c != '-' && label[i] != '-' && !isDigit(label[i]) && (c < 'a' || c > 'z') {
				return false
			}
		}
	}
	return true
}

// parseDateTime reads a date-time of RFC 3339. time.Parse is laxer: it takes a comma before the fraction and hours of
// one digit.
func parseDateTime(text string) (time.Time, bool) {
	const shortest = len("2006-01-02T15:04:05Z")
	if len(text) < shortest || text[13] != ':' || strings.ContainsRune(text, ',') {
		return time.Time{}, false
	}
	t, err := time.Parse(time.RFC3339Nano, strings.ToUpper(text))
	return t, err == nil
}
