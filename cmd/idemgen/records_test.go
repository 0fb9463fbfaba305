package main

import (
	"context"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/idemgen/idemgen/internal/pgtemp"
	"github.com/idemgen/idemgen/internal/pgtemp/pgtest"
	"github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// hasPostgres says whether scripts can have a database. In CI they must.
var hasPostgres = sync.OnceValue(func() bool {
	_, err := pgtemp.Locate()
	return err == nil || os.Getenv("CI") == "true" || os.Getenv(pgtest.ServerEnv) != ""
})

// database [TABLE] makes a database with the keys table and names it in DATABASE_URL. It goes away with the test.
func database(t *testing.T) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		url := pgtest.URL(t)
		conn, err := pgx.Connect(context.Background(), url)
		ts.Check(err)
		defer func() { _ = conn.Close(context.Background()) }()
		table := pgstore.DefaultTable
		if len(args) > 0 {
			table = args[0]
		}
		ts.Check(pgstore.Migrate(context.Background(), conn, table))
		ts.Setenv("DATABASE_URL", url)
	}
}

// working PRINCIPAL OPERATION KEY AGE LEFT [STEP...] makes work in progress in its second worker's hands. Backslashes are
// as in a Go string.
func working(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 5 {
		ts.Fatalf("usage: working PRINCIPAL OPERATION KEY AGE LEFT [STEP...]")
	}
	for i, arg := range args {
		args[i] = goString(ts, arg)
	}
	age, err := time.ParseDuration(args[3])
	ts.Check(err)
	left, err := time.ParseDuration(args[4])
	ts.Check(err)
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, ts.Getenv("DATABASE_URL"))
	ts.Check(err)
	defer pool.Close()
	store, err := pgstore.New(pool)
	ts.Check(err)
	id := runtime.ID{Scope: runtime.PrincipalScope(args[0]) + "o" + length(args[1]) + ":" + args[1], Key: args[2]}
	intent := runtime.Intent{Operation: args[1], FingerprintVersion: 1, Fingerprint: make([]byte, 32), Owner: [16]byte{0x9f, 0x2c, 0x41, 0xaa}, Lease: time.Hour, Request: []byte("\x00\x1b[31mnot a request")}
	claim, err := store.ClaimLease(ctx, id, &intent)
	ts.Check(err)
	if claim.Held == nil {
		ts.Fatalf("%q is taken", id)
	}
	var steps []runtime.StepResult
	for _, name := range args[5:] {
		steps = append(steps, runtime.StepResult{Name: name, Result: []byte(`"result of ` + name + `"`)})
	}
	ts.Check(store.Advance(ctx, id, claim.Held.Fence, &runtime.Advance{Steps: steps, Lease: time.Hour}))
	_, err = pool.Exec(ctx, `UPDATE idempotency_keys SET epoch = 2, created_at = clock_timestamp() - make_interval(secs => $1::float8), lease_until = clock_timestamp() + make_interval(secs => $2::float8)
WHERE status = 0 AND created_at > clock_timestamp() - interval '1 minute' AND epoch = 1`, age.Seconds(), left.Seconds())
	ts.Check(err)
}

// sql WANT QUERY compares a text that the database answers; without a query it runs WANT.
func sql(ts *testscript.TestScript, neg bool, args []string) {
	conn, err := pgx.Connect(context.Background(), ts.Getenv("DATABASE_URL"))
	ts.Check(err)
	defer func() { _ = conn.Close(context.Background()) }()
	if len(args) == 1 {
		_, err := conn.Exec(context.Background(), args[0])
		ts.Check(err)
		return
	}
	var got string
	ts.Check(conn.QueryRow(context.Background(), args[1]).Scan(&got))
	if (got == args[0]) == neg {
		ts.Fatalf("%s is %q", args[1], got)
	}
}

func length(text string) string {
	return strings.TrimPrefix(strings.SplitN(runtime.PrincipalScope(text), ":", 2)[0], "p")
}

func goString(ts *testscript.TestScript, text string) string {
	var out strings.Builder
	for rest := text; rest != ""; {
		value, multibyte, tail, err := strconv.UnquoteChar(rest, 0)
		ts.Check(err)
		if multibyte {
			out.WriteRune(value)
		} else {
			out.WriteByte(byte(value))
		}
		rest = tail
	}
	return out.String()
}

func TestShortIsSafe(t *testing.T) {
	for text, want := range map[string]string{
		"createPayout": "createPay…", "a\x1b[2J": "a�[2J", "\xff\xfe": "��", "日本語日本語日本": "日本語日…", "exactly10!": "exactly10!", "a\u202eb": "a�b", strings.Repeat("x", 1<<20): "xxxxxxxxx…",
	} {
		if got := short(text, 10); got != want || !utf8.ValidString(got) {
			t.Errorf("%.20q: %q, want %q", text, got, want)
		}
	}
	for d, want := range map[time.Duration]string{0: "0s", 59 * time.Second: "59s", time.Minute: "1m00s", 12*time.Minute + 4*time.Second: "12m04s", 3*time.Hour + time.Minute: "3h01m", 50 * time.Hour: "2d02h"} {
		if got := span(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
	for key, want := range map[string]string{`abc`: `abc`, `"abc"`: `abc`, `"a\"\\c"`: `a"\c`, `"`: `"`, `""`: `""`} {
		if got := unquoteKey(key); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
}
