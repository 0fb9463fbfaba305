package wire

import (
	"fmt"
	"time"
)

// Date is a day without a time or zone: a full-date of RFC 3339, section 5.6.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// ParseDate reads a date such as 2006-01-02.
func ParseDate(text string) (Date, error) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil || len(text) != len(time.DateOnly) {
		return Date{}, fmt.Errorf("a date must be written as %s", time.DateOnly)
	}
	return DateOf(t), nil
}

// DateOf returns the day of t in t's own zone.
func DateOf(t time.Time) Date {
	year, month, day := t.Date()
	return Date{year, month, day}
}

// In returns the moment at which the day starts in a zone.
func (d Date) In(zone *time.Location) time.Time {
	return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, zone)
}

// String is the date as RFC 3339 writes it.
func (d Date) String() string {
	return fmt.Sprintf("%04d-%02d-%02d", d.Year, int(d.Month), d.Day)
}

// MarshalText implements encoding.TextMarshaler.
func (d Date) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Date) UnmarshalText(text []byte) error {
	parsed, err := ParseDate(string(text))
	if err != nil {
		return err
	}
	*d = parsed
	return nil
}
