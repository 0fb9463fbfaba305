package migration

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// counter hands out the versions of new files, going on as the folder began.
type counter struct {
	last  int64
	width int
	next  func(last int64) int64
}

// half is a number's way up, or its way down where that has a file of its own.
type half struct {
	version int64
	down    bool
}

// collision is two migrations of one number: the tool refuses the folder, or never runs one of them.
type collision struct{ first, second, tool string }

func (c *collision) Error() string {
	return fmt.Sprintf("%s and %s have one number, and %s takes a number for one migration", c.first, c.second, c.tool)
}

// timestampLayout is the version of goose, golang-migrate, dbmate and Atlas by default.
const timestampLayout = "20060102150405"

// newCounter looks at the versions that are there. The highest one tells the scheme: a folder that began with numbers and
// went over to timestamps goes on with timestamps.
func newCounter(f format, existing []Existing, now time.Time) (*counter, error) {
	c := &counter{width: f.width, next: func(last int64) int64 { return last + 1 }}
	seen := make(map[int64]string)
	taken := make(map[half]string)
	newest := ""
	for _, file := range existing {
		match := f.file.FindStringSubmatch(file.Name)
		if match == nil {
			continue
		}
		version, err := strconv.ParseInt(match[1], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: the number is too large", file.Name)
		}
		// A Go migration's test has its number, and no tool runs it.
		if !f.shared && !strings.HasSuffix(file.Name, "_test.go") {
			place := half{version, strings.Contains(file.Name, ".down.")}
			if other, ok := taken[place]; ok {
				return nil, &collision{first: min(other, file.Name), second: max(other, file.Name), tool: f.name}
			}
			taken[place] = file.Name
		}
		seen[version] = file.Name
		if version >= c.last {
			c.last, newest = version, match[1]
		}
	}
	if newest != "" {
		c.width = len(newest)
	}
	switch {
	case f.gapless:
		return c, checkGapless(c, seen)
	case isTimestamp(newest):
		c.next = func(last int64) int64 { return nextTimestamp(last, now) }
	case isUnixTime(newest):
		c.next = func(last int64) int64 { return max(last+1, now.Unix()) }
	}
	return c, nil
}

// take returns the next version as it stands in a file name.
func (c *counter) take() (string, error) {
	if c.last == math.MaxInt64 {
		return "", fmt.Errorf("version %d is the last there is", c.last)
	}
	c.last = c.next(c.last)
	return fmt.Sprintf("%0*d", c.width, c.last), nil
}

// checkGapless makes sure that the tool will take one more file: tern refuses a folder with a hole.
func checkGapless(c *counter, seen map[int64]string) error {
	if c.last > math.MaxInt32-1000 {
		return fmt.Errorf("%s: tern counts migrations from 1 without a gap, so a timestamp is not a version", seen[c.last])
	}
	for version := int64(1); version <= c.last; version++ {
		if _, ok := seen[version]; !ok {
			return fmt.Errorf("migration %d is missing, and tern counts from 1 without a gap", version)
		}
	}
	return nil
}

func isTimestamp(version string) bool {
	_, err := time.Parse(timestampLayout, version)
	return err == nil
}

// isUnixTime recognises seconds since 1970, in the years 2001 to 2286.
func isUnixTime(version string) bool { return len(version) == 10 && version[0] != '0' }

func nextTimestamp(last int64, now time.Time) int64 {
	previous, err := time.Parse(timestampLayout, strconv.FormatInt(last, 10))
	if err != nil {
		return last + 1
	}
	at := previous.Add(time.Second)
	if now = now.UTC().Truncate(time.Second); now.After(at) {
		at = now
	}
	version, err := strconv.ParseInt(at.Format(timestampLayout), 10, 64)
	if err != nil {
		return last + 1
	}
	return version
}
