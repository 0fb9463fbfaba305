package policydoc

import (
	"fmt"
	"html/template"
	"strings"
)

// The drawing's measures, in units of which a narrow phone shows one to a pixel.
const (
	drawingWidth = 320
	partyHeight  = 28
	narrowest    = 64 // of a party's box
	lineHeight   = 16
	stepGap      = 12
	arrowHead    = 6
	charWidth    = 6.8 // of a usual sans-serif at 13 units, on average and a little more
	nameWidth    = 7.4 // the same in bold
	labelMargin  = 6   // between a label and the lines of the parties beside it
	cross        = 5
)

// SVG draws the flow as an inline element: a line for each party, from top to bottom an arrow or a box for each step.
// Colours come from the page's style by class, so that both themes and a printer have theirs; text is text. What it shows
// is the title and the description of the drawing too.
func (f Flow) SVG() template.HTML {
	d := drawing{parties: f.columns()}
	d.y = partyHeight + stepGap
	for _, step := range f.Steps {
		if step.From == step.To {
			d.box(step)
		} else {
			d.arrow(step)
		}
	}
	var all strings.Builder
	fmt.Fprintf(&all, `<svg class="flow" role="img" viewBox="0 0 %d %d" aria-labelledby="%s_title %s_text">`, drawingWidth, d.y+2, f.ID, f.ID)
	fmt.Fprintf(&all, `<title id="%s_title">%s</title><desc id="%s_text">%s</desc>`, f.ID, escapeHTML(f.Title), f.ID, escapeHTML(f.description()))
	for i, x := range d.parties {
		fmt.Fprintf(&all, `<line class="life" x1="%d" y1="%d" x2="%d" y2="%d"/>`, x, partyHeight, x, d.y)
		width := boxWidth(f.Parties[i])
		fmt.Fprintf(&all, `<rect class="party" x="%d" y="1" width="%d" height="%d" rx="4"/>`, x-width/2, width, partyHeight-1)
		fmt.Fprintf(&all, `<text class="name" x="%d" y="19">%s</text>`, x, escapeHTML(f.Parties[i]))
	}
	all.WriteString(d.out.String() + "</svg>")
	return template.HTML(all.String())
}

// columns are where the parties stand: the outer ones at the edges, the others between them.
func (f Flow) columns() []int {
	first := boxWidth(f.Parties[0])/2 + 1
	last := drawingWidth - boxWidth(f.Parties[len(f.Parties)-1])/2 - 1
	columns := make([]int, len(f.Parties))
	for i := range columns {
		columns[i] = first + i*(last-first)/max(1, len(f.Parties)-1)
	}
	return columns
}

// boxWidth is the width of a party's box.
func boxWidth(party string) int {
	return max(narrowest, int(float64(len(party))*nameWidth)+16)
}

// description is the flow's steps as a text.
func (f Flow) description() string {
	steps := make([]string, len(f.Steps))
	for i, step := range f.Steps {
		steps[i] = step.Text.Plain()
	}
	return strings.Join(steps, " ")
}

// drawing is the steps drawn so far, down to y.
type drawing struct {
	parties []int
	out     strings.Builder
	y       int
}

// box is what a party does by itself.
func (d *drawing) box(step Step) {
	lines := wrap(step.Label, 22)
	width := int(float64(longest(lines))*charWidth) + 16
	x := within(d.parties[step.From], width)
	height := len(lines)*lineHeight + 10
	fmt.Fprintf(&d.out, `<rect class="work" x="%d" y="%d" width="%d" height="%d" rx="4"/>`, x-width/2, d.y, width, height)
	d.text(lines, x, d.y+5)
	d.y += height + stepGap
}

// arrow is a message; a lost one ends in a cross on its way.
func (d *drawing) arrow(step Step) {
	from, to := d.parties[step.From], d.parties[step.To]
	lines := wrap(step.Label, int(float64(max(from, to)-min(from, to)-2*labelMargin)/charWidth))
	d.text(lines, within((from+to)/2, int(float64(longest(lines))*charWidth)), d.y)
	d.y += len(lines)*lineHeight + 6
	side := 1
	if to < from {
		side = -1
	}
	if step.Lost {
		end := from + (to-from)/2
		fmt.Fprintf(&d.out, `<path class="lost" d="M%d %dH%d"/>`, from, d.y, end-side*2*cross)
		fmt.Fprintf(&d.out, `<path class="cross" d="M%d %dl%d %dm0 -%dl-%d %d"/>`, end-cross, d.y-cross, 2*cross, 2*cross, 2*cross, 2*cross, 2*cross)
	} else {
		fmt.Fprintf(&d.out, `<path class="arrow" d="M%d %dH%d"/>`, from, d.y, to-side*arrowHead)
		fmt.Fprintf(&d.out, `<path class="head" d="M%d %dl%d -4v8z"/>`, to, d.y, -side*2*arrowHead)
	}
	d.y += stepGap
}

func (d *drawing) text(lines []string, x, y int) {
	for i, line := range lines {
		fmt.Fprintf(&d.out, `<text x="%d" y="%d">%s</text>`, x, y+(i+1)*lineHeight-3, escapeHTML(line))
	}
}

// within moves the middle of something wide into the drawing.
func within(x, width int) int {
	return min(max(x, width/2+1), drawingWidth-width/2-1)
}

// wrap breaks a label into lines of at most so many characters, where its words allow it.
func wrap(label string, characters int) []string {
	var lines []string
	for _, word := range strings.Fields(label) {
		last := len(lines) - 1
		if last >= 0 && len(lines[last])+1+len(word) <= characters {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

func longest(lines []string) int {
	n := 0
	for _, line := range lines {
		n = max(n, len(line))
	}
	return n
}
