package policydoc

import (
	"bufio"
	"bytes"
	"html"
	"html/template"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	mdhtml "github.com/yuin/goldmark/renderer/html"
	mdtext "github.com/yuin/goldmark/text"
)

// HTML is the author's CommonMark as HTML, from a list of what is let through: paragraphs, emphasis, code, lists, quotations
// and links to web and e-mail addresses. Raw HTML is shown as the text it is, an image as its description; a heading is a
// paragraph, since the page has an order of its own.
func (p Prose) HTML() template.HTML {
	source := []byte(strings.ReplaceAll(string(p), "\r\n", "\n"))
	n := note{source: source}
	n.children(goldmark.DefaultParser().Parse(mdtext.NewReader(source)))
	return template.HTML(strings.TrimSpace(n.out.String()))
}

// note writes a parsed note.
type note struct {
	source []byte
	out    strings.Builder
}

func (n *note) children(parent ast.Node) {
	for child := parent.FirstChild(); child != nil; child = child.NextSibling() {
		n.node(child)
	}
}

// element writes a node's children within an element.
func (n *note) element(name string, node ast.Node) {
	n.out.WriteString("<" + name + ">")
	n.children(node)
	n.out.WriteString("</" + name + ">")
}

func (n *note) node(node ast.Node) {
	switch node := node.(type) {
	case *ast.Paragraph:
		n.element("p", node)
		n.out.WriteByte('\n')
	case *ast.Heading:
		n.out.WriteString("<p><strong>")
		n.children(node)
		n.out.WriteString("</strong></p>\n")
	case *ast.List:
		n.list(node)
	case *ast.ListItem:
		n.element("li", node)
	case *ast.Blockquote:
		n.element("blockquote", node)
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		n.out.WriteString(`<pre tabindex="0"><code>` + string(Block(n.lines(node)).HTML()) + "</code></pre>\n")
	case *ast.HTMLBlock:
		n.htmlBlock(node)
	case *ast.ThematicBreak:
	case *ast.Text:
		n.text(node)
	case *ast.String:
		n.out.WriteString(escapeHTML(visibleRunes(string(node.Value))))
	case *ast.CodeSpan:
		n.out.WriteString(string(Code(n.code(node)).HTML()))
	case *ast.Emphasis:
		n.element([]string{"em", "strong"}[min(node.Level, 2)-1], node)
	case *ast.Link:
		n.link(string(node.Destination), func() { n.children(node) })
	case *ast.AutoLink:
		label := string(node.Label(n.source))
		n.link(string(node.URL(n.source)), func() { n.out.WriteString(escapeHTML(visibleRunes(label))) })
	case *ast.RawHTML:
		for i := range node.Segments.Len() {
			segment := node.Segments.At(i)
			n.out.WriteString(escapeHTML(visibleRunes(string(segment.Value(n.source)))))
		}
	default: // an image, and whatever a later version of CommonMark brings: only its text
		n.children(node)
	}
}

func (n *note) htmlBlock(block *ast.HTMLBlock) {
	text := n.lines(block)
	if block.HasClosure() {
		text += string(block.ClosureLine.Value(n.source))
	}
	n.out.WriteString("<p>" + escapeHTML(oneLine(text)) + "</p>\n")
}

func (n *note) list(list *ast.List) {
	if !list.IsOrdered() {
		n.element("ul", list)
		return
	}
	n.out.WriteString(`<ol start="` + strconv.Itoa(list.Start) + `">`)
	n.children(list)
	n.out.WriteString("</ol>")
}

// link writes a link where the address is one that a page may lead to, and else only its text.
func (n *note) link(address string, label func()) {
	url := contactURL(strings.TrimPrefix(address, "mailto:"))
	if url == "" {
		label()
		return
	}
	n.out.WriteString(`<a rel="nofollow noopener noreferrer" href="` + escapeHTML(url) + `">`)
	label()
	n.out.WriteString("</a>")
}

// text writes text with its backslashes and character references resolved first: either may hide an invisible character.
func (n *note) text(node *ast.Text) {
	value := string(node.Segment.Value(n.source))
	if !node.IsRaw() {
		var resolved bytes.Buffer
		w := bufio.NewWriter(&resolved)
		mdhtml.DefaultWriter.Write(w, []byte(value))
		w.Flush()
		value = html.UnescapeString(resolved.String())
	}
	n.out.WriteString(escapeHTML(visibleRunes(value)))
	switch {
	case node.HardLineBreak():
		n.out.WriteString("<br>")
	case node.SoftLineBreak():
		n.out.WriteByte('\n')
	}
}

// code is a code span's text, which holds no markup.
func (n *note) code(span *ast.CodeSpan) string {
	var out strings.Builder
	for child := span.FirstChild(); child != nil; child = child.NextSibling() {
		if text, ok := child.(*ast.Text); ok {
			out.Write(text.Segment.Value(n.source))
		}
	}
	return out.String()
}

func (n *note) lines(node ast.Node) string {
	var out strings.Builder
	for i := range node.Lines().Len() {
		line := node.Lines().At(i)
		out.Write(line.Value(n.source))
	}
	return out.String()
}
