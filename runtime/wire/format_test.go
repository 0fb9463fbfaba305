package wire

import "testing"

func TestFormats(t *testing.T) {
	for name, texts := range map[string]struct{ right, wrong []string }{
		"uuid": {
			[]string{"123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-12D3-A456-426614174000"},
			[]string{"", "123e4567e89b12d3a456426614174000", "{123e4567-e89b-12d3-a456-426614174000}", "123e4567-e89b-12d3-a456-42661417400g", "urn:uuid:123e4567-e89b-12d3-a456-426614174000"},
		},
		"email": {
			[]string{"a@example.com", "a.b+c@example.com"},
			[]string{"", "a", "a@", "@b", "A <a@example.com>", "a@example.com, b@example.com", "a@example.com\r\nBcc: b@example.com", "a b@example.com"},
		},
		"date": {
			[]string{"2026-02-28", "2024-02-29", "0001-01-01"},
			[]string{"", "2026-2-28", "2026-02-30", "2026-02-28T00:00:00Z", "20260228", "12026-02-28"},
		},
		"date-time": {
			[]string{"2026-01-02T03:04:05Z", "2026-01-02t03:04:05.123456789z", "2026-01-02T03:04:05+02:00"},
			[]string{"", "2026-01-02", "2026-01-02T03:04:05", "2026-01-02T3:04:05Z", "2026-01-02T3:04:05.5Z", "2026-01-02T03:04:05,5Z", "2026-01-02 03:04:05Z", "2026-01-02T25:00:00Z", "2026-01-02T03:04:05+0200"},
		},
		"uri": {
			[]string{"https://example.com/a?b#c", "urn:isbn:0451450523", "mailto:a@example.com"},
			[]string{"", "example.com", "/a", "https://exa mple.com", "https://", "1https://example.com", "https://example.com/<a>", "https://example.com/é"},
		},
		"ipv4":     {[]string{"192.0.2.1"}, []string{"", "192.0.2", "192.0.2.256", "192.0.2.01", "::1", "::ffff:192.0.2.1"}},
		"ipv6":     {[]string{"::1", "2001:db8::1"}, []string{"", "192.0.2.1", "fe80::1%eth0", "2001:db8:::1"}},
		"hostname": {[]string{"example.com", "a-b.example", "localhost"}, []string{"", "-a.example", "a..b", "a_b", "a.example.", "exämple.com"}},
		"byte":     {[]string{"", "aGk=", "AAEC"}, []string{"aGk", "aGl=", "a-_=", "aG k="}},
	} {
		if !KnownFormat(name) {
			t.Errorf("%s is not known", name)
		}
		for _, text := range texts.right {
			if !formats[name].valid(text) {
				t.Errorf("%s: %q is refused", name, text)
			}
		}
		for _, text := range texts.wrong {
			if formats[name].valid(text) {
				t.Errorf("%s: %q is taken", name, text)
			}
		}
	}
	if KnownFormat("int32") {
		t.Error("int32 is no format of a string")
	}
}
