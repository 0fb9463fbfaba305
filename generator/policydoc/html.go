package policydoc

import (
	"bytes"
	"html/template"
	"regexp"
	"strings"
	"unicode"

	"github.com/idemgen/idemgen/generator/output"
	"github.com/idemgen/idemgen/runtime/policy"
	"github.com/idemgen/idemgen/templates"
)

// webPage is the page as a single HTML file, which asks for nothing outside itself.
func webPage(doc *policy.Document, set *templates.Set) ([]byte, error) {
	page, err := render(doc, set, "policy.html.tmpl")
	if err != nil {
		return nil, err
	}
	// html/template takes comments out, the generated file's mark among them. HTML lets one stand before the doctype.
	return []byte("<!-- " + output.Marker + " -->\n" + strings.TrimSpace(blankLines.ReplaceAllString(page, "\n")) + "\n"), nil
}

// blankLines are what a template leaves where it prints nothing. Text has none: see [Block.HTML].
var blankLines = regexp.MustCompile(`\n[ \t\n]*\n`)

// escapeHTML is text for the body of an element and for a quoted attribute. Braces are references too: a site generator
// may look for its own marks in the page.
func escapeHTML(text string) string { return htmlEscapes.Replace(text) }

var htmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "{", "&#123;", "}", "&#125;")

// HTML is the text as HTML that shows it and does nothing else.
func (t Text) HTML() template.HTML { return template.HTML(escapeHTML(oneLine(string(t)))) }

// HTML is the value as a <code> element.
func (c Code) HTML() template.HTML {
	text := oneLine(string(c))
	if text == "" {
		text = `""`
	}
	html := escapeHTML(text)
	if strings.HasPrefix(text, "/") || strings.Contains(text, " /") { // a path too long for its line is broken between two parts
		html = strings.ReplaceAll(html, "/", "/<wbr>")
	}
	return template.HTML("<code>" + html + "</code>")
}

// HTML is the block's text for a <pre> element. Its line ends are references, so that no empty line of it is taken for one
// of the template's.
func (b Block) HTML() template.HTML {
	return template.HTML(strings.ReplaceAll(escapeHTML(b.String()), "\n", "&#10;"))
}

// HTML is the sentence for the body of an element.
func (s Sentence) HTML() template.HTML {
	var out bytes.Buffer
	for _, one := range s.spans {
		switch one.kind {
		case ours:
			out.WriteString(escapeHTML(one.text))
		case foreign:
			out.WriteString(string(Text(one.text).HTML()))
		case literal:
			out.WriteString(string(Code(one.text).HTML()))
		case linked:
			out.WriteString(`<a href="` + escapeHTML(one.address) + `">` + escapeHTML(one.text) + "</a>")
		}
	}
	return template.HTML(out.String())
}

// visibleRunes drops what is invisible and changes how the rest is read, and makes every white space and control
// character a space.
func visibleRunes(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r):
			return ' '
		case unicode.Is(unicode.Cf, r):
			return -1
		default:
			return r
		}
	}, strings.ToValidUTF8(text, "\uFFFD"))
}
