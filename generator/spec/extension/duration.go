package extension

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

// parseDuration reads a duration as ISO 8601-1 section 5.5.2 writes it (P1W, P30D, PT24H, P1DT12H30M, PT0.5S) or as Go
// does (24h, 1h30m). A day is 24 hours. Years and months are refused, as their length depends on where they start.
func parseDuration(text string) (time.Duration, error) {
	if text == "" {
		return 0, errors.New("is empty")
	}
	unsigned := strings.TrimLeft(text, "+-")
	if unsigned == "" || unsigned[0] != 'P' && unsigned[0] != 'p' {
		return parseGoDuration(text)
	}
	if strings.HasPrefix(text, "-") {
		return 0, errors.New("is negative")
	}
	return parseISODuration(strings.ToUpper(strings.TrimPrefix(text, "+")))
}

func parseGoDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	switch {
	case err == nil && d < 0:
		return 0, errors.New("is negative")
	case err == nil:
		return d, nil
	case isDigits(text):
		return 0, errors.New("has no unit")
	case strings.HasSuffix(text, "d") && isDigits(text[:len(text)-1]):
		return 0, errors.New("has a unit that Go durations lack, write P" + text[:len(text)-1] + "D")
	default:
		return 0, errors.New("is neither ISO 8601 nor a Go duration")
	}
}

// isoUnit is one designator of an ISO 8601 duration.
type isoUnit struct {
	letter byte
	inTime bool
	length time.Duration
}

// isoUnits in the order in which they may stand.
var isoUnits = []isoUnit{
	{'W', false, 7 * 24 * time.Hour},
	{'D', false, 24 * time.Hour},
	{'H', true, time.Hour},
	{'M', true, time.Minute},
	{'S', true, time.Second},
}

func parseISODuration(text string) (time.Duration, error) {
	date, clock, hasTime := strings.Cut(text[1:], "T")
	if strings.ContainsAny(date, "YM") {
		return 0, errors.New("has years or months, whose length is ambiguous")
	}
	if date == "" && clock == "" || hasTime && clock == "" {
		return 0, errors.New("has no number")
	}
	days, err := sumUnits(date, false)
	if err != nil {
		return 0, err
	}
	rest, err := sumUnits(clock, true)
	if err != nil {
		return 0, err
	}
	if days > math.MaxInt64-rest {
		return 0, errors.New("is too long")
	}
	return days + rest, nil
}

// sumUnits adds up numbers with designators, each designator once and in order.
func sumUnits(text string, inTime bool) (time.Duration, error) {
	var sum time.Duration
	next := 0
	for text != "" {
		end := strings.IndexFunc(text, func(c rune) bool { return (c < '0' || c > '9') && c != '.' && c != ',' })
		if end <= 0 {
			return 0, errors.New("is not ISO 8601")
		}
		unit := -1
		for i := next; i < len(isoUnits); i++ {
			if isoUnits[i].letter == text[end] && isoUnits[i].inTime == inTime {
				unit = i
				break
			}
		}
		if unit < 0 {
			return 0, errors.New("is not ISO 8601")
		}
		part, err := scale(strings.ReplaceAll(text[:end], ",", "."), isoUnits[unit].length)
		if err != nil {
			return 0, err
		}
		if sum > math.MaxInt64-part {
			return 0, errors.New("is too long")
		}
		sum += part
		text, next = text[end+1:], unit+1
	}
	return sum, nil
}

// scale multiplies without going through a float, so that PT0.1S is exactly 100 ms.
func scale(number string, unit time.Duration) (time.Duration, error) {
	whole, fraction, _ := strings.Cut(number, ".")
	if !isDigits(whole) || strings.Contains(fraction, ".") || strings.HasSuffix(number, ".") {
		return 0, errors.New("is not ISO 8601")
	}
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || n > math.MaxInt64/int64(unit) {
		return 0, errors.New("is too long")
	}
	sum := time.Duration(n) * unit
	if len(fraction) > 9 {
		return 0, errors.New("is finer than a nanosecond")
	}
	place := unit
	for _, digit := range fraction {
		if place%10 != 0 {
			return 0, errors.New("is finer than a nanosecond")
		}
		place /= 10
		sum += time.Duration(digit-'0') * place
	}
	if sum < 0 {
		return 0, errors.New("is too long")
	}
	return sum, nil
}

func isDigits(text string) bool {
	if text == "" {
		return false
	}
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}
