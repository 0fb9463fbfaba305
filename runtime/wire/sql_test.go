package wire_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime/wire"
)

var (
	_ driver.Valuer = wire.Date{}
	_ sql.Scanner   = (*wire.Date)(nil)
	_ driver.Valuer = wire.Nullable[string]{}
	_ sql.Scanner   = (*wire.Nullable[string])(nil)
)

var leapDay = wire.Date{Year: 2024, Month: time.February, Day: 29}

func TestDate_Value(t *testing.T) {
	got, err := leapDay.Value()
	if want := time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC); err != nil || got != want {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

func TestDate_Scan(t *testing.T) {
	east := time.FixedZone("east", 14*60*60)
	for name, test := range map[string]struct {
		src  any
		want wire.Date
		err  string
	}{
		"time":                {time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC), leapDay, ""},
		"time in its zone":    {time.Date(2024, 2, 29, 1, 0, 0, 0, east), leapDay, ""},
		"string":              {"2024-02-29", leapDay, ""},
		"bytes":               {[]byte("2024-02-29"), leapDay, ""},
		"null":                {nil, wire.Date{}, "null"},
		"not a date":          {"2023-02-29", wire.Date{}, "2006-01-02"},
		"infinity":            {"infinity", wire.Date{}, "2006-01-02"},
		"year of five digits": {time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), wire.Date{}, "year 10000"},
		"before year 0":       {time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC), wire.Date{}, "year -1"},
		"another type":        {int64(5), wire.Date{}, "int64"},
	} {
		t.Run(name, func(t *testing.T) {
			var got wire.Date
			wantError(t, got.Scan(test.src), test.err)
			if got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func wantError(t *testing.T, err error, part string) {
	t.Helper()
	switch {
	case part == "" && err != nil:
		t.Errorf("error %v", err)
	case part != "" && (err == nil || !strings.Contains(err.Error(), part)):
		t.Errorf("error %v does not say %q", err, part)
	}
}

type currency string

type refusing struct{}

var errRefused = errors.New("refused")

func (refusing) Value() (driver.Value, error) { return nil, errRefused }

func TestNullable_Value(t *testing.T) {
	noon := time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		from driver.Valuer
		want driver.Value
		err  string
	}{
		"absent":      {wire.Nullable[string]{}, nil, ""},
		"null":        {wire.Null[string](), nil, ""},
		"empty":       {wire.Some(""), "", ""},
		"string":      {wire.Some("a"), "a", ""},
		"named":       {wire.Some(currency("EUR")), "EUR", ""},
		"int32":       {wire.Some(int32(5)), int64(5), ""},
		"bool":        {wire.Some(false), false, ""},
		"time":        {wire.Some(noon), noon, ""},
		"valuer":      {wire.Some(leapDay), leapDay.In(time.UTC), ""},
		"nil valuer":  {wire.Some((*wire.Date)(nil)), nil, ""},
		"raw JSON":    {wire.Some(json.RawMessage(`{}`)), []byte(`{}`), ""},
		"refused":     {wire.Some(refusing{}), nil, "refused"},
		"unsupported": {wire.Some(struct{}{}), nil, "unsupported type"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := test.from.Value()
			wantError(t, err, test.err)
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %#v, want %#v", got, test.want)
			}
		})
	}
}

func TestNullable_Scan(t *testing.T) {
	t.Run("null", func(t *testing.T) {
		n := wire.Some("old")
		if err := n.Scan(nil); err != nil || !n.IsNull() {
			t.Errorf("got %v, %v", n, err)
		}
	})
	t.Run("an error changes nothing", func(t *testing.T) {
		n := wire.Some(int64(5))
		if err := n.Scan("x"); err == nil || n != wire.Some(int64(5)) {
			t.Errorf("got %v, %v", n, err)
		}
	})
	t.Run("string", func(t *testing.T) { wantScan(t, []byte("a"), "a") })
	t.Run("named", func(t *testing.T) { wantScan(t, "EUR", currency("EUR")) })
	t.Run("int32", func(t *testing.T) { wantScan(t, int64(5), int32(5)) })
	t.Run("float64", func(t *testing.T) { wantScan(t, 0.5, 0.5) })
	t.Run("bool", func(t *testing.T) { wantScan(t, true, true) })
	t.Run("scanner", func(t *testing.T) { wantScan(t, leapDay.In(time.UTC), leapDay) })
}

func wantScan[T comparable](t *testing.T, src any, want T) {
	t.Helper()
	var n wire.Nullable[T]
	err := n.Scan(src)
	if got, ok := n.Get(); err != nil || !ok || got != want {
		t.Errorf("got %v, %v, %v, want %v", got, ok, err, want)
	}
}

// What a generated model holds is a query argument, and what a column is scanned into, as it stands.
func TestModels_PostgreSQL(t *testing.T) {
	pool := pgtest.Pool(t, nil)
	noon := time.Date(2024, 2, 29, 12, 0, 0, 123000, time.UTC)
	var (
		date                            wire.Date
		note                            wire.Nullable[string]
		amount                          wire.Nullable[int64]
		at                              wire.Nullable[time.Time]
		due                             wire.Nullable[wire.Date]
		noNote                          wire.Nullable[string]
		noAmount                        wire.Nullable[int64]
		noTime                          wire.Nullable[time.Time]
		noDue, absent                   wire.Nullable[wire.Date]
		unset                           *wire.Date
		nothing                         *wire.Date
		code                            wire.Nullable[currency]
		dateFromText, textFromDateParam string
	)
	ctx := context.Background()
	_, err := pool.Exec(ctx, `CREATE TABLE model (
		date date, note text, amount bigint, at timestamptz, due date,
		no_note text, no_amount bigint, no_time timestamptz, no_due date, absent date, nothing date, code text)`)
	if err != nil {
		t.Fatal(err)
	}
	_, err = pool.Exec(ctx, `INSERT INTO model VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		leapDay, wire.Some("a"), wire.Some(int64(5)), wire.Some(noon), wire.Some(leapDay),
		wire.Null[string](), wire.Null[int64](), wire.Null[time.Time](), wire.Null[wire.Date](), absent, unset,
		wire.Some(currency("EUR")))
	if err != nil {
		t.Fatal(err)
	}
	err = pool.QueryRow(ctx, `SELECT *, date::text, (SELECT $1::date)::text FROM model`, leapDay).Scan(
		&date, &note, &amount, &at, &due, &noNote, &noAmount, &noTime, &noDue, &absent, &nothing, &code,
		&dateFromText, &textFromDateParam)
	if err != nil {
		t.Fatal(err)
	}
	if date != leapDay || dateFromText != "2024-02-29" || textFromDateParam != "2024-02-29" || nothing != nil {
		t.Errorf("dates %v, %q, %q, %v", date, dateFromText, textFromDateParam, nothing)
	}
	if note != wire.Some("a") || amount != wire.Some(int64(5)) || due != wire.Some(leapDay) || code != wire.Some(currency("EUR")) {
		t.Errorf("values %v %v %v %v", note, amount, due, code)
	}
	if got, ok := at.Get(); !ok || !got.Equal(noon) {
		t.Errorf("time %v, %v", got, ok)
	}
	if !noNote.IsNull() || !noAmount.IsNull() || !noTime.IsNull() || !noDue.IsNull() || !absent.IsNull() {
		t.Errorf("nulls %v %v %v %v %v", noNote, noAmount, noTime, noDue, absent)
	}
	if err := pool.QueryRow(ctx, `SELECT NULL::date`).Scan(&date); err == nil || !strings.Contains(err.Error(), "null") {
		t.Errorf("null into a Date: %v", err)
	}
	if err := pool.QueryRow(ctx, `SELECT 'infinity'::date`).Scan(&date); err == nil {
		t.Errorf("infinity is %v", date)
	}
}
