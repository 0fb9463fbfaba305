package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/idemgen/idemgen/analyzer"
	"github.com/idemgen/idemgen/internal/sarif"
)

// writeGitHub prints workflow commands, which GitHub shows beside the lines of a pull request.
func writeGitHub(w io.Writer, root string, findings []finding) error {
	var out bytes.Buffer
	for _, f := range findings {
		level := "warning"
		switch f.grade.Severity {
		case analyzer.SeverityError:
			level = "error"
		case analyzer.SeverityInfo:
			level = "notice"
		}
		file := f.start.Filename
		if rel, ok := sarif.Within(root, file); ok {
			file = rel
		}
		properties := fmt.Sprintf("file=%s,line=%d", property(file), f.start.Line)
		if f.end.Line > f.start.Line {
			properties += fmt.Sprintf(",endLine=%d", f.end.Line)
		} else if f.start.Column > 0 {
			properties += fmt.Sprintf(",col=%d", f.start.Column)
		}
		fmt.Fprintf(&out, "::%s %s,title=%s::%s\n", level, properties, property("idemvet "+f.analyzer), data(f.message))
	}
	_, err := w.Write(out.Bytes())
	return err
}

// data and property escape what would end a command early.
func data(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

func property(text string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(data(text))
}
