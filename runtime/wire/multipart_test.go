package wire

import (
	"strings"
	"testing"
)

// parts writes a multipart body with the boundary B.
func parts(namesAndTexts ...string) string {
	var b strings.Builder
	for i := 0; i < len(namesAndTexts); i += 2 {
		b.WriteString("--B\r\nContent-Disposition: form-data; name=\"" + namesAndTexts[i] + "\"\r\n\r\n" + namesAndTexts[i+1] + "\r\n")
	}
	return b.String() + "--B--\r\n"
}

func TestMultipart_File(t *testing.T) {
	in := readerOf("/", "multipart/form-data; boundary=B", "--B\r\n"+
		"Content-Disposition: form-data; name=\"doc\"; filename=\"../a.pdf\"\r\nContent-Type: application/pdf\r\n\r\n\x00\xff\r\n"+
		"--B\r\nContent-Disposition: form-data; name=\"meta\"\r\nContent-Type: application/json\r\n\r\n{\"n\":[1]}\r\n--B--\r\n")
	o := in.Multipart().Object()
	file := o.Member("doc").Required().File()
	if string(file.Content) != "\x00\xff" || file.ContentType != "application/pdf" || file.Name != "a.pdf" {
		t.Errorf("got %+v", file)
	}
	if n := List(o.Member("meta").Object().Member("n"), Value.Int64); len(n) != 1 || n[0] != 1 {
		t.Errorf("got %v", n)
	}
	if f := o.Member("none").File(); f.Content != nil {
		t.Errorf("got %+v", f)
	}
	o.Closed()
	wantViolations(t, in)
}

// A part is JSON by each name of it.
func TestMultipart_PartsOfJSON(t *testing.T) {
	for _, mediaType := range []string{"application/json", "text/json", "Application/A+JSON; v=1"} {
		in := readerOf("/", "multipart/form-data; boundary=B", "--B\r\nContent-Disposition: form-data; name=\"meta\"\r\nContent-Type: "+mediaType+"\r\n\r\n{\"n\":1}\r\n--B--\r\n")
		if n := in.Multipart().Object().Member("meta").Object().Member("n").Int64(); n != 1 {
			t.Errorf("%s: got %d", mediaType, n)
		}
		wantViolations(t, in)
	}
}

// One schema may describe a multipart body and a JSON body: there a file is a string.
func TestFile_InJSON(t *testing.T) {
	in := readerOf("/", "application/json", `{"doc": "text", "none": null, "number": 1}`)
	o := in.JSON().Object()
	if file := o.Member("doc").File(); string(file.Content) != "text" || file.Name != "" {
		t.Errorf("got %+v", file)
	}
	o.Member("none").File()
	o.Member("number").File()
	wantViolations(t, in, "#/none must be one part of a multipart body, not null", "#/number must be one part of a multipart body")
}

func TestMultipart_ListOfParts(t *testing.T) {
	names := func(v Value) string { return v.Object().Member("name").Text() }
	for body, want := range map[string]int{
		parts("a", `{"name":"x"}`):                             1,
		parts("a", `{"name":"x"}`, "a", `{"name":"x"}`):        2,
		parts("a", `[{"name":"x"},{"name":"x"},{"name":"x"}]`): 3,
		parts("b", `{"name":"x"}`):                             0,
	} {
		in := readerOf("/", "multipart/form-data; boundary=B", body)
		got := List(in.Multipart(Field{"a", JSONText}).Object().Member("a"), names)
		wantViolations(t, in)
		if len(got) != want || want > 0 && got[want-1] != "x" {
			t.Errorf("%q: got %q, want %d", body, got, want)
		}
	}
}

func TestMultipart_Wrong(t *testing.T) {
	for _, row := range []struct {
		name, contentType, body string
		read                    func(Object)
		want                    string
	}{
		{"no boundary", "multipart/form-data", "", nil, "# the content type must name the boundary of the parts"},
		{"cut off", "multipart/form-data; boundary=B", "--B\r\nContent-Disposition: form-data; name=a\r\n\r\nx", nil, "# the last part must end with the boundary"},
		{"no parts", "multipart/form-data; boundary=B", "x", nil, "# the parts must be written as RFC 2046 has it"},
		{"no name", "multipart/form-data; boundary=B", "--B\r\n\r\nx\r\n--B--\r\n", nil, "# each part must have a name"},
		{"twice", "multipart/form-data; boundary=B", parts("a", "1", "a", "2"), func(o Object) { o.Member("a").Text() }, "#/a must be given once"},
		{"file twice", "multipart/form-data; boundary=B", parts("a", "1", "a", "2"), func(o Object) { o.Member("a").File() }, "#/a must be one part of a multipart body"},
		{"not UTF-8", "multipart/form-data; boundary=B", parts("a", "\xff"), func(o Object) { o.Member("a").Text() }, "#/a must be UTF-8 text"},
		{"bad JSON", "multipart/form-data; boundary=B", "--B\r\nContent-Disposition: form-data; name=a\r\nContent-Type: application/json\r\n\r\n{\r\n--B--\r\n",
			func(o Object) { o.Member("a").Object() }, "#/a must be valid JSON: the text ends too early at byte 1"},
	} {
		t.Run(row.name, func(t *testing.T) {
			in := readerOf("/", row.contentType, row.body)
			o := in.Multipart().Object()
			if row.read != nil {
				row.read(o)
			}
			wantViolations(t, in, row.want)
		})
	}
}
