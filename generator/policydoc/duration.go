package policydoc

import (
	"strconv"
	"strings"
	"time"
)

// units of a duration, from the largest; a day is 24 hours.
var units = []struct {
	size  time.Duration
	name  string
	iso   string
	clock bool // stands behind the T of ISO 8601
}{
	{24 * time.Hour, "day", "D", false},
	{time.Hour, "hour", "H", true},
	{time.Minute, "minute", "M", true},
	{time.Second, "second", "S", true},
	{time.Millisecond, "millisecond", "", true},
}

// inWords is a duration for people: "24 hours", "7 days", "1 hour 30 minutes".
func inWords(d time.Duration) string {
	if d == 24*time.Hour { // what every API says
		return "24 hours"
	}
	var words []string
	for _, unit := range units {
		if n := d / unit.size; n > 0 {
			d %= unit.size
			word := strconv.FormatInt(int64(n), 10) + " " + unit.name
			if n > 1 {
				word += "s"
			}
			words = append(words, word)
		}
	}
	if len(words) == 0 {
		return "0 seconds"
	}
	return strings.Join(words, " ")
}

// isoDuration is a duration in ISO 8601, as x-idempotency takes it: PT24H, P7D, PT0.5S.
func isoDuration(d time.Duration) string {
	if d <= 0 {
		return "PT0S"
	}
	if d == 24*time.Hour {
		return "PT24H"
	}
	out, clock := "P", false
	for _, unit := range units[:4] {
		n := d / unit.size
		if unit.size == time.Second {
			if d == 0 {
				continue
			}
			if !clock {
				out += "T"
			}
			return out + strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + unit.iso
		}
		if n == 0 {
			continue
		}
		if unit.clock && !clock {
			out, clock = out+"T", true
		}
		out += strconv.FormatInt(int64(n), 10) + unit.iso
		d %= unit.size
	}
	return out
}

// inBytes is a size for people.
func inBytes(n int64) string {
	for _, unit := range []struct {
		size int64
		name string
	}{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n >= unit.size && n%unit.size == 0 {
			return strconv.FormatInt(n/unit.size, 10) + " " + unit.name
		}
	}
	return strconv.FormatInt(n, 10) + " bytes"
}
