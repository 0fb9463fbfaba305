package wire

import (
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"
)

// The rows are those of the style examples in OpenAPI 3.1.1, section 4.8.12.4, read back.
func TestStyles(t *testing.T) {
	list := []string{"blue", "black", "brown"}
	color := rgb{"R": "100", "G": "200", "B": "150"}
	for _, row := range []struct {
		name  string
		place string
		style Style
		sent  string
		want  any
	}{
		{"matrix empty", "path", Matrix, ";color", ""},
		{"matrix scalar", "path", Matrix, ";color=blue", "blue"},
		{"matrix list", "path", Matrix, ";color=blue,black,brown", list},
		{"matrix object", "path", Matrix, ";color=R,100,G,200,B,150", color},
		{"matrix explode scalar", "path", Matrix | Explode, ";color=blue", "blue"},
		{"matrix explode list", "path", Matrix | Explode, ";color=blue;color=black;color=brown", list},
		{"matrix explode object", "path", Matrix | Explode, ";R=100;G=200;B=150", color},
		{"label scalar", "path", Label, ".blue", "blue"},
		{"label list", "path", Label, ".blue,black,brown", list},
		{"label object", "path", Label, ".R,100,G,200,B,150", color},
		{"label explode list", "path", Label | Explode, ".blue.black.brown", list},
		{"label explode object", "path", Label | Explode, ".R=100.G=200.B=150", color},
		{"simple scalar", "path", Simple, "blue", "blue"},
		{"simple list", "path", Simple, "blue,black,brown", list},
		{"simple object", "path", Simple, "R,100,G,200,B,150", color},
		{"simple explode object", "path", Simple | Explode, "R=100,G=200,B=150", color},
		{"header list", "header", Simple, "blue, black , brown", list},
		{"header object", "header", Simple | Explode, "R=100, G=200, B=150", color},
		{"form empty", "query", Form, "color=", ""},
		{"form scalar", "query", Form, "color=blue", "blue"},
		{"form list", "query", Form, "color=blue,black,brown", list},
		{"form object", "query", Form, "color=R,100,G,200,B,150", color},
		{"form explode list", "query", Form | Explode, "color=blue&color=black&color=brown", list},
		{"form explode object", "query", Spread, "R=100&G=200&B=150", color},
		{"spaceDelimited list", "query", SpaceDelimited, "color=blue%20black%20brown", list},
		{"spaceDelimited list with plus", "query", SpaceDelimited, "color=blue+black+brown", list},
		{"spaceDelimited object", "query", SpaceDelimited, "color=R%20100%20G%20200%20B%20150", color},
		{"spaceDelimited explode list", "query", SpaceDelimited | Explode, "color=blue&color=black&color=brown", list},
		{"pipeDelimited list", "query", PipeDelimited, "color=blue%7Cblack%7cbrown", list},
		{"pipeDelimited list, not encoded", "query", PipeDelimited, "color=blue|black|brown", list},
		{"pipeDelimited object", "query", PipeDelimited, "color=R%7C100%7CG%7C200%7CB%7C150", color},
		{"deepObject", "query", DeepObject | Explode, "color[R]=100&color%5BG%5D=200&color[B]=150", color},
		{"json", "query", JSONText, `color=%7B%22R%22:%22100%22,%22G%22:%22200%22,%22B%22:%22150%22%7D`, color},
		{"cookie scalar", "cookie", Form | Explode, "blu%65", "blue"},
		{"cookie as it is", "cookie", Cookie, "blu%65", "blu%65"},
		{"cookie list", "cookie", Form, "blue,black,brown", list},

		{"an encoded delimiter is data", "query", Form, "color=a%2Cb,c", []string{"a,b", "c"}},
		{"an encoded delimiter in a path is data", "path", Simple, "a%2Cb,c", []string{"a,b", "c"}},
		{"an encoded slash in a path", "path", Simple, "a%2Fb", "a/b"},
		{"plus in a query is a space", "query", Form, "color=a+b%2B", "a b+"},
		{"plus in a path is a plus", "path", Simple, "a+b", "a+b"},
		{"a header is not percent-decoded", "header", Simple, "a%2Cb", "a%2Cb"},
		{"a semicolon in a query is data", "query", Form, "color=a;b", "a;b"},
		{"an empty list", "query", Form, "color=", []string{}},
		{"a list of one empty item", "query", Form | Explode, "color=", []string{""}},
	} {
		t.Run(row.name, func(t *testing.T) {
			in := send(t, row.place, row.sent)
			v := parameterOf(in, row.place, row.style)
			var got any
			switch row.want.(type) {
			case string:
				got = v.Text()
			case []string:
				got = List(v, Value.Text)
			case rgb:
				got = readRGB(v)
			}
			if !reflect.DeepEqual(got, row.want) {
				t.Errorf("got %#v, want %#v", got, row.want)
			}
			wantViolations(t, in)
		})
	}
}

// send makes a request that carries text as the parameter color, through a real ServeMux where it is in the path.
func send(t *testing.T, place, text string) *Reader {
	t.Helper()
	var in *Reader
	target := "/"
	switch place {
	case "path":
		target = "/colors/" + text
	case "query":
		target = "/?" + text
	}
	r := httptest.NewRequest(http.MethodGet, target, nil)
	switch place {
	case "header":
		r.Header.Set("color", text)
	case "cookie":
		r.Header.Set("Cookie", "color="+text)
	}
	mux := http.NewServeMux()
	keep := func(_ http.ResponseWriter, r *http.Request) { in = NewReader(r, nil) }
	mux.HandleFunc("/colors/{color}", keep)
	mux.HandleFunc("/", keep)
	mux.ServeHTTP(httptest.NewRecorder(), r)
	return in
}

func parameterOf(in *Reader, place string, style Style) Value {
	switch place {
	case "path":
		return in.Path("color", "color", style)
	case "query":
		return in.Query("color", style)
	case "header":
		return in.Header("color", style)
	default:
		return in.Cookie("color", style)
	}
}

func TestStyles_Wrong(t *testing.T) {
	text := func(v Value) { v.Text() }
	list := func(v Value) { List(v, Value.Text) }
	object := func(v Value) { readRGB(v) }
	for _, row := range []struct {
		name  string
		place string
		style Style
		sent  string
		read  func(Value)
		want  string
	}{
		{"scalar twice in a query", "query", Form | Explode, "color=a&color=a", text, "query color must be given once"},
		{"list twice without explode", "query", Form, "color=a&color=b", list, "query color must be given once"},
		{"bad encoding", "query", Form, "color=%zz", text, "query color must be percent-encoded correctly"},
		{"bad encoding of another name", "query", Form, "color=a&%zz=1", text, "query has a field whose name must be percent-encoded correctly"},
		{"not UTF-8", "query", Form, "color=%ff", text, "query color must be UTF-8 text"},
		{"bad item", "query", Form, "color=a,%ff", list, "query color#/1 must be UTF-8 text"},
		{"odd object", "query", Form, "color=R,100,G", object, "query color must be a list of names and values in turn"},
		{"member twice", "query", Form, "color=R,1,R,2", object, "query color must not have a member twice"},
		{"member twice, deep", "query", DeepObject, "color[R]=1&color[R]=2", object, "query color#/R must be given once"},
		{"exploded object without =", "header", Simple | Explode, "R=1,G", object, "header color must be a list of name=value"},
		{"label without full stop", "path", Label, "blue", text, "path color must start with a full stop (style label)"},
		{"matrix with another name", "path", Matrix, ";colour=blue", text, "path color must be written as ;name=value (style matrix)"},
		{"json", "query", JSONText, "color=%7B", object, "query color must be valid JSON: the text ends too early at byte 1"},
	} {
		t.Run(row.name, func(t *testing.T) {
			in := send(t, row.place, row.sent)
			row.read(parameterOf(in, row.place, row.style))
			wantViolations(t, in, row.want)
		})
	}
}

func TestHeader_RepeatedLines(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Add("X-Tag", "a, b")
	r.Header.Add("X-Tag", "c")
	in := NewReader(r, nil)
	if got := List(in.Header("X-Tag"), Value.Text); !reflect.DeepEqual(got, []string{"a", "b", "c"}) {
		t.Errorf("a list over two lines: %q", got)
	}
	wantViolations(t, in)
	in.Header("X-Tag").Text()
	wantViolations(t, in, "header X-Tag must be given once")
}
