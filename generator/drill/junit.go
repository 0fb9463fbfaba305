package drill

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The form of JUnit's reports that continuous integration servers read: a suite for each operation, a case for each
// promise.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Skipped  int          `xml:"skipped,attr"`
		Time     string       `xml:"time,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitMessage `xml:"failure"`
		Skipped *junitMessage `xml:"skipped"`
		Out     string        `xml:"system-out,omitempty"`
	}
	junitMessage struct {
		Message string `xml:"message,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

// WriteJUnit writes the report as JUnit's XML: a broken promise is a failure, one that was not tested is skipped.
func (r *Report) WriteJUnit(w io.Writer) error {
	all := junitSuites{Name: xmlText("idemgen drill of " + r.API), Time: fmt.Sprintf("%.3f", r.Seconds)}
	for i := range r.Operations {
		op := &r.Operations[i]
		suite := junitSuite{Name: xmlText(op.ID)}
		for _, result := range op.Results {
			one := junitCase{Class: xmlText(op.ID), Name: xmlText(result.Promise)}
			switch result.Outcome {
			case Broken:
				suite.Failures++
				one.Failure = &junitMessage{Message: xmlText(result.Why), Text: xmlText(result.Text + "\n\n" + evidence(result.Evidence))}
			case Kept:
				one.Out = xmlText(result.Why)
			default:
				suite.Skipped++
				one.Skipped = &junitMessage{Message: xmlText(result.Why)}
			}
			suite.Cases = append(suite.Cases, one)
		}
		suite.Tests = len(suite.Cases)
		all.Tests, all.Failures, all.Skipped = all.Tests+suite.Tests, all.Failures+suite.Failures, all.Skipped+suite.Skipped
		all.Suites = append(all.Suites, suite)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func evidence(list []Exchange) string {
	var b strings.Builder
	for _, e := range list {
		b.WriteString("Sent:\n" + e.Request + "\n\nCame:\n" + e.Answer + "\n\n")
	}
	return b.String()
}

// xmlText drops what XML 1.0 cannot hold, and what moves the cursor or turns the text around where a report is shown.
func xmlText(text string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' || r == 0xfffe || r == 0xffff {
			return '?'
		}
		return r
	}, text)
}
