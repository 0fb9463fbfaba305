package wire

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
)

// The types and readers below are what generated code looks like.
type payment struct {
	Amount   int64
	Currency string
	Note     *string
	Due      *time.Time
	Ref      Nullable[string]
	Lines    []line
	Tags     map[string]string
	Free     json.RawMessage
}

type line struct {
	Name  string
	Price json.Number
}

var code = regexp.MustCompile(`^[a-z]+$`)

func readPayment(v Value) (m payment) {
	o := v.Object()
	m.Amount = o.Member("amount").Required().Min("1").Max("1000").Int64()
	m.Currency = o.Member("currency").Required().OneOf("EUR", "USD").Text()
	m.Note = Optional(o.Member("note").MinLength(2).MaxLength(4).Pattern(code), Value.Text)
	m.Due = OptionalOrNull(o.Member("due"), Value.Time)
	m.Ref = ReadNullable(o.Member("ref"), Value.Text)
	m.Lines = List(o.Member("lines").MinItems(1).MaxItems(2).UniqueItems(), readLine)
	m.Tags = Map(o.Member("tags").MinProperties(1).MaxProperties(2), Value.Text)
	m.Free = o.Member("free").Raw()
	o.Closed()
	return m
}

func readLine(v Value) (m line) {
	o := v.Object()
	m.Name = o.Member("name").Required().Text()
	m.Price = o.Member("price").Required().MoreThan("0").LessThan("100").MultipleOf("0.01").Number()
	return m
}

func TestValue_Right(t *testing.T) {
	note := "abcd"
	due := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	want := payment{
		Amount: 100, Currency: "EUR", Note: &note, Due: &due, Ref: Some("x"),
		Lines: []line{{"a", "1.10"}, {"b", "99.99"}},
		Tags:  map[string]string{"k": "v"},
	}
	for name, in := range map[string]*Reader{
		"JSON": readerOfJSON(`{"amount":1e2,"currency":"EUR","note":"\u0061bcd","due":"2026-01-02T03:04:05Z","ref":"x",
			"lines":[{"name":"a","price":1.10},{"price":99.99,"name":"b"}],"tags":{"k":"v"}}`),
		"form": readerOf("/", "application/x-www-form-urlencoded", "amount=100&currency=EUR&note=abcd&due=2026-01-02T03:04:05Z&ref=x"+
			"&lines[1][name]=b&lines[1][price]=99.99&lines[0][name]=a&lines[0][price]=1.10&tags[k]=v"),
		"multipart": readerOf("/", "multipart/form-data; boundary=B", parts("amount", "100", "currency", "EUR", "note", "abcd", "due", "2026-01-02T03:04:05Z",
			"ref", "x", "lines", `{"name":"a","price":1.10}`, "lines", `{"price":99.99,"name":"b"}`, "tags", `{"k":"v"}`)),
	} {
		t.Run(name, func(t *testing.T) {
			var body Value
			switch in.Content(true, "application/json", "application/x-www-form-urlencoded", "multipart/form-data") {
			case "application/json":
				body = in.JSON()
			case "application/x-www-form-urlencoded":
				body = in.Form()
			case "multipart/form-data":
				body = in.Multipart(Field{"lines", JSONText}, Field{"tags", JSONText})
			}
			if got := readPayment(body); !reflect.DeepEqual(got, want) {
				t.Errorf("\n got %+v\nwant %+v", got, want)
			}
			wantViolations(t, in)
		})
	}
}

func TestValue_Wrong(t *testing.T) {
	for _, row := range []struct {
		name, body string
		want       []string
	}{
		{"empty", `{}`, []string{"#/amount is required", "#/currency is required"}},
		{"no object", `[]`, []string{"# must be an object"}},
		{"null", `null`, []string{"# must be an object, not null"}},
		{"all at once", `{"amount":0,"currency":"eur","note":"A","due":"2026-01-02","ref":1,"lines":[],"tags":{},"more":1}`, []string{
			"#/amount must be at least 1", "#/currency must be one of EUR, USD", "#/note must have at least 2 characters",
			"#/note must match the pattern ^[a-z]+$", "#/due must be a date-time of RFC 3339, such as 2006-01-02T15:04:05Z",
			"#/ref must be a string", "#/lines must have at least 1 item", "#/tags must have at least 1 member",
			"#/more is not a member that is known here"}},
		{"types", `{"amount":"5","currency":5,"note":{},"lines":{},"tags":[],"due":true}`, []string{
			"#/amount must be an integer", "#/currency must be a string", "#/note must be a string", "#/due must be a string",
			"#/lines must be an array", "#/tags must be an object"}},
		{"null where it may not be", `{"amount":null,"currency":null,"note":null,"due":null,"ref":null,"lines":null,"tags":null}`, []string{
			"#/amount must be an integer, not null", "#/currency must be a string, not null", "#/note must be a string, not null",
			"#/lines must be an array, not null", "#/tags must be an object, not null"}},
		{"items", `{"amount":1.5,"currency":"EUR","lines":[{"name":"a","price":0},{"name":"a","price":0.00},3]}`, []string{
			"#/amount must be an integer", "#/lines must have at most 2 items", "#/lines must not have two equal items",
			"#/lines/0/price must be more than 0", "#/lines/1/price must be more than 0", "#/lines/2 must be an object"}},
		{"bounds", `{"amount":1001,"currency":"EUR","lines":[{"name":"a","price":100},{"name":"a","price":1.005}]}`, []string{
			"#/amount must be at most 1000", "#/lines/0/price must be less than 100", "#/lines/1/price must be a multiple of 0.01"}},
		{"integer range", `{"amount":1e400,"currency":"EUR"}`, []string{
			"#/amount must be at most 1000", "#/amount must be between -9223372036854775808 and 9223372036854775807"}},
		{"case of names", `{"Amount":1,"currency":"EUR"}`, []string{"#/amount is required", "#/Amount is not a member that is known here"}},
		{"place in an awkward name", `{"amount":1,"currency":"EUR","a/b~c d%é":1}`, []string{"#/a~1b~0c%20d%25%C3%A9 is not a member that is known here"}},
		{"characters are code points", `{"amount":1,"currency":"EUR","note":"ééééé"}`, []string{
			"#/note must have at most 4 characters", "#/note must match the pattern ^[a-z]+$"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			in := readerOfJSON(row.body)
			readPayment(in.JSON())
			wantViolations(t, in, row.want...)
		})
	}
}

// What is at a limit is within it.
func TestValue_AtTheLimits(t *testing.T) {
	in := readerOfJSON(`{"text":"éé","number":1.0,"items":[1,2],"members":{"a":1}}`)
	o := in.JSON().Object()
	o.Member("text").MinLength(2).MaxLength(2)
	o.Member("number").Min("1").Max("1.00")
	o.Member("items").MinItems(2).MaxItems(2)
	o.Member("members").MinProperties(1).MaxProperties(1)
	wantViolations(t, in)
	o.Member("number").MoreThan("1").LessThan("1")
	wantViolations(t, in, "#/number must be more than 1", "#/number must be less than 1")
}

func TestValue_LongEnumerationsAreCut(t *testing.T) {
	in := readerOfJSON(`"x"`)
	in.JSON().OneOf(strings.Split("a b c d e f g h i j k l m n", " ")...)
	wantViolations(t, in, "# must be one of a, b, c, d, e, f, g, h, i, j, k, l and 2 others")
}

func TestReader_TextIsUTF8(t *testing.T) {
	in := readerOf("/", "text/plain", "a\xff")
	if got := in.Text().MaxLength(1).Text(); got != "" {
		t.Errorf("got %q", got)
	}
	wantViolations(t, in, "# must be UTF-8 text")
}

func TestValue_Scalars(t *testing.T) {
	for _, row := range []struct {
		json string
		read func(Value) any
		want any
		says string
	}{
		{`5.0`, func(v Value) any { return v.Int64() }, int64(5), ""},
		{`-0`, func(v Value) any { return v.Int64() }, int64(0), ""},
		{`9223372036854775807`, func(v Value) any { return v.Int64() }, int64(math.MaxInt64), ""},
		{`9223372036854775808`, func(v Value) any { return v.Int64() }, int64(0), "# must be between -9223372036854775808 and 9223372036854775807"},
		{`2147483648`, func(v Value) any { return v.Int32() }, int32(0), "# must be between -2147483648 and 2147483647"},
		{`0.1`, func(v Value) any { return v.Float64() }, 0.1, ""},
		{`1e999`, func(v Value) any { return v.Float64() }, 0.0, "# is too large for a number of 64 bits"},
		{`1e39`, func(v Value) any { return v.Float32() }, float32(0), "# is too large for a number of 32 bits"},
		{`0.10`, func(v Value) any { return v.Number() }, json.Number("0.10"), ""},
		{`"0.10"`, func(v Value) any { return v.Number() }, json.Number(""), "# must be a number"},
		{`true`, func(v Value) any { return v.Bool() }, true, ""},
		{`"true"`, func(v Value) any { return v.Bool() }, false, "# must be true or false"},
		{`"2026-02-28"`, func(v Value) any { return v.Date() }, Date{2026, time.February, 28}, ""},
		{`"2026-02-30"`, func(v Value) any { return v.Date() }, Date{}, "# must be a date of RFC 3339, such as 2006-01-02"},
		{`"aGk="`, func(v Value) any { return string(v.Bytes()) }, "hi", ""},
		{`"aGk"`, func(v Value) any { return string(v.Bytes()) }, "", "# must be base64 with padding (RFC 4648, section 4)"},
		{`{"a": [1, "\u00e9"]}`, func(v Value) any { return string(v.Raw()) }, `{"a": [1, "\u00e9"]}`, ""},
		{`1.0`, func(v Value) any { return v.OneOfJSON("1", "2").Int64() }, int64(1), ""},
		{`{"a":1,"b":[2]}`, func(v Value) any { v.OneOfJSON(`{"b":[2.0],"a":1e0}`); return nil }, nil, ""},
		{`3`, func(v Value) any { v.OneOfJSON("1", `"3"`, "null"); return nil }, nil, `# must be one of 1, "3", null`},
	} {
		t.Run(row.json, func(t *testing.T) {
			in := readerOfJSON(row.json)
			if got := row.read(in.JSON()); got != row.want {
				t.Errorf("got %#v, want %#v", got, row.want)
			}
			if row.says == "" {
				wantViolations(t, in)
			} else {
				wantViolations(t, in, row.says)
			}
		})
	}
}

func TestInvalid_IsBounded(t *testing.T) {
	in := readerOfJSON("[" + strings.Repeat("1,", 100) + "1]")
	List(in.JSON(), Value.Text)
	var invalid *Invalid
	if !errors.As(in.Err(), &invalid) || len(invalid.Violations) != MaxViolations || invalid.Status != 400 {
		t.Fatalf("got %v", in.Err())
	}
}

// A violation names what the document asks for and where, and nothing that was sent but member names, cut where they
// are long.
func TestInvalid_NeverRepeatsValues(t *testing.T) {
	const secret = "s3cr3t"
	in := readerOfJSON(`{"amount":"s3cr3t","currency":"s3cr3t","note":"s3cr3t-S","due":"s3cr3t","ref":["s3cr3t"],"lines":["s3cr3t"],"tags":"s3cr3t"}`)
	readPayment(in.JSON())
	if text := in.Err().Error(); strings.Contains(text, secret) {
		t.Errorf("a value is repeated: %s", text)
	}
	in = readerOfJSON(`{"` + strings.Repeat("é", 100) + `":1}`)
	in.JSON().Object().Closed()
	if v := in.invalid.Violations[0]; len(v.Pointer) > 3*maxToken+20 {
		t.Errorf("a long name is repeated: %s", v.Pointer)
	}
}

func TestInvalid_C5_HTTPProblem(t *testing.T) {
	in := readerOf("/?limit=x", "application/json", `{"amount":0,"currency":"EUR"}`)
	in.Query("limit").Int32()
	readPayment(in.JSON())
	problem := in.Err().(*Invalid).HTTPProblem()
	text, err := json.Marshal(problem)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"type":"https://github.com/idemgen/idemgen/blob/main/docs/problems.md#invalid-request","title":"The request is invalid","status":400,"detail":"The members of errors say what to change.",` +
		`"errors":[{"in":"query","parameter":"limit","detail":"must be an integer"},{"pointer":"#/amount","detail":"must be at least 1"}]}`
	if string(text) != want {
		t.Errorf("\n got %s\nwant %s", text, want)
	}
}

func TestReader_NothingWrong(t *testing.T) {
	if err := readerOfJSON(`{}`).Err(); err != nil {
		t.Errorf("got %v, want a nil error", err)
	}
}
