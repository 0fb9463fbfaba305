package policy

import (
	"fmt"
	"strconv"
	"strings"
)

// Statuses is a set of HTTP statuses: single codes such as "402" and classes such as "2XX".
type Statuses []string

// Contains reports whether code is in the set.
func (s Statuses) Contains(code int) bool {
	for _, entry := range s {
		if len(entry) == 3 && strings.EqualFold(entry[1:], "XX") {
			if int(entry[0]-'0') == code/100 {
				return true
			}
			continue
		}
		if n, err := strconv.Atoi(entry); err == nil && n == code {
			return true
		}
	}
	return false
}

// ParseStatus checks one entry of a status set and returns it as this package writes it: "2XX" or "402".
func ParseStatus(text string) (string, error) {
	upper := strings.ToUpper(strings.TrimSpace(text))
	if len(upper) == 3 && upper[0] >= '1' && upper[0] <= '5' && upper[1:] == "XX" {
		return upper, nil
	}
	n, err := strconv.Atoi(upper)
	if err != nil || n < 100 || n > 599 || len(upper) != 3 {
		return "", fmt.Errorf("%q is not a status: write a code such as 402 or a class such as 2XX", text)
	}
	return upper, nil
}
