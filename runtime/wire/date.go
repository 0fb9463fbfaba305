package wire

import (
	"database/sql/driver"
	"errors"
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

// Value implements driver.Valuer, so that a Date is a query argument: midnight of the day in UTC.
func (d Date) Value() (driver.Value, error) { return d.In(time.UTC), nil }

// Scan implements sql.Scanner. It takes a time, of which it keeps the day in the time's own zone, and a text such as
// 2006-01-02. Null is an error: scan a column that may be null into a *Date or a [Nullable]. So is a day outside the
// years 0 to 9999, which no text of RFC 3339 can say.
func (d *Date) Scan(src any) error {
	switch src := src.(type) {
	case time.Time:
		if year := src.Year(); year < 0 || year > 9999 {
			return fmt.Errorf("a date cannot have the year %d", year)
		}
		*d = DateOf(src)
		return nil
	case string:
		return d.UnmarshalText([]byte(src))
	case []byte:
		return d.UnmarshalText(src)
	case nil:
		return errors.New("a date cannot be null; scan into a pointer to a date or a Nullable")
	default:
		return fmt.Errorf("a date cannot be read from the type %T", src)
	}
}
