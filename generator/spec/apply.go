package spec

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v4"
)

// ApplyOverlays lays overlays over an OpenAPI document, in their order, and returns the resulting document in the
// file's own syntax: JSON with the indent that the file has, YAML with its comments and the order of its members. Anchors
// and aliases of a YAML file are written out, as an overlay may change one use and not the other, and a text that is
// folded over several lines comes out on one.
//
// The result belongs into file's own folder, for references to other files stay as they are; [ApplyOverlaysTo] writes for
// another one. An error that is about the files' content is a [diag.List].
func ApplyOverlays(file string, overlays ...Overlay) ([]byte, error) {
	return ApplyOverlaysTo(file, file, overlays...)
}

// ApplyOverlaysTo is [ApplyOverlays] for a result that is kept as the file out: references to files are written as they
// read from its folder. Nothing is written here.
func ApplyOverlaysTo(file, out string, overlays ...Overlay) ([]byte, error) {
	src := newSources()
	defer src.close()
	rep := &reporter{src: src}
	main, err := src.openMain(file, "")
	if err != nil {
		return nil, err
	}
	document, root := editable(main, rep)
	if root == nil {
		return nil, rep.finished().Err()
	}
	for _, overlay := range overlays {
		f := src.add(overlay.Name, overlay.Content)
		if failure := f.parse(); failure != nil {
			rep.syntax(f, failure)
			continue
		}
		rep.duplicates(f)
		apply(root, readOverlay(f, rep), rep)
	}
	if err := rep.finished().Err(); err != nil {
		return nil, err
	}
	moved, err := newRelocation(root, file, out)
	if err != nil {
		return nil, err
	}
	moved.tree(root)
	if main.json {
		indent := jsonIndent(main.text)
		out := appendJSON(make([]byte, 0, len(main.text)+len(main.text)/8), root, "", indent)
		if strings.HasSuffix(main.text, "\n") {
			out = append(out, '\n')
		}
		if hasCRLF(main.text) {
			out = bytes.ReplaceAll(out, []byte("\n"), []byte("\r\n")) // within strings JSON has none
		}
		return out, nil
	}
	return encodeYAML(main.text, document)
}

// editable parses a file for writing it again: a YAML tree keeps its comments and its scalars as written.
func editable(f *source, rep *reporter) (document, root *yaml.Node) {
	if failure := f.parse(); failure != nil {
		rep.syntax(f, failure)
		return nil, nil
	}
	rep.duplicates(f)
	if f.json {
		return f.root, f.root
	}
	document, failure := parseYAML([]byte(f.text))
	if failure != nil {
		rep.syntax(f, failure)
		return nil, nil
	}
	if hasAliases(document) {
		document.Content[0] = f.root
		return document, f.root
	}
	return document, document.Content[0]
}

func hasAliases(n *yaml.Node) bool {
	if n.Kind == yaml.AliasNode || n.Tag == "!!merge" {
		return true
	}
	for _, c := range n.Content {
		if hasAliases(c) {
			return true
		}
	}
	return false
}

// hasCRLF reports whether a text's first line ends as on Windows.
func hasCRLF(text string) bool {
	first, _, ok := strings.Cut(text, "\n")
	return ok && strings.HasSuffix(first, "\r")
}

// jsonIndent is the indent of a JSON text's first member.
func jsonIndent(text string) string {
	_, rest, ok := strings.Cut(text, "\n")
	if !ok {
		return ""
	}
	indent := rest[:len(rest)-len(strings.TrimLeft(rest, " \t"))]
	if indent == "" {
		return "  "
	}
	return indent
}

func encodeYAML(original string, document *yaml.Node) ([]byte, error) {
	var out bytes.Buffer
	indent, compact := yamlIndent(original)
	options := []yaml.Option{yaml.WithIndent(indent), yaml.WithCompactSeqIndent(compact), yaml.WithLineWidth(-1)}
	if hasCRLF(original) {
		options = append(options, yaml.WithLineBreak(yaml.LineBreakCRLN))
	}
	dumper, err := yaml.NewDumper(&out, options...)
	if err != nil {
		return nil, err
	}
	if err := dumper.Dump(document); err != nil {
		return nil, err
	}
	if err := dumper.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// yamlIndent guesses how a YAML file is laid out: the indent of its first nested line, and whether a list stands at its
// key's own indent.
func yamlIndent(text string) (indent int, compact bool) {
	indent, compact = 0, false
	previous := ""
	for line := range strings.Lines(text) {
		trimmed := strings.TrimLeft(line, " ")
		body := strings.TrimSpace(trimmed)
		if body == "" || strings.HasPrefix(body, "#") {
			continue
		}
		depth, before := len(line)-len(trimmed), len(previous)-len(strings.TrimLeft(previous, " "))
		if strings.HasSuffix(strings.TrimSpace(previous), ":") {
			if strings.HasPrefix(body, "- ") {
				compact = depth == before
				if indent != 0 {
					break
				}
			} else if indent == 0 && depth > before {
				indent = depth - before
			}
		}
		previous = line
	}
	return max(2, min(indent, 9)), compact
}
