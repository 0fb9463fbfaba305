package keytx

import (
	"fmt"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/idemgen/idemgen/analyzer/internal/report"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
	"github.com/idemgen/idemgen/analyzer/internal/storeflow"
)

// related is a place that a finding points to.
type related struct {
	pos  token.Pos
	text string
}

func (r related) information() analysis.RelatedInformation {
	return analysis.RelatedInformation{Pos: r.pos, End: r.pos, Message: r.text}
}

// tellKeyOutside tells of a key that is written between begin and commit of a transaction, and not in it.
func (c *checker) tellKeyOutside(f *function, key, work *write) bool {
	line, begin := c.begin(f, work)
	if key.Guessed || work.Guessed {
		return c.tell(key, keyOutsideTx, report.Error, confidence(key, work),
			fmt.Sprintf("%s is written by a call that is not given the transaction%s, unlike the call that writes %s, so the key stays when the work is rolled back and a retry is answered without it. Give the call the transaction too.%s",
				key.thing(), line, work.thing(), key.path()),
			begin, related{work.Pos, "this call is given the transaction"})
	}
	fix := c.useTx(f, key, work)
	cure := "Write both in one transaction."
	if name := c.txName(work.unit); name != "" {
		cure = "Write it through " + name + ", as the work is."
	}
	return c.tellWithFix(key, keyOutsideTx, report.Error, confidence(key, work),
		fmt.Sprintf("%s is written %s, beside the transaction%s that writes %s: when the transaction is rolled back the key stays and a retry is answered without the work, or the key is lost and the work is done again. %s%s",
			key.thing(), c.way(key), line, work.thing(), cure, key.path()),
		fix, begin, related{work.Pos, work.thing() + " is written here"})
}

// tellKeyAfter tells of a key that is written when the work is committed already.
func (c *checker) tellKeyAfter(f *function, key, work *write) bool {
	_, begin := c.begin(f, work)
	lost := ""
	if out, known := leaves(key.Call); known && !out {
		lost = ", and its error does not leave the function"
	}
	if key.Engine == storeflow.Redis {
		return c.tell(key, keyAfterCommit, report.Error, confidence(key, work),
			fmt.Sprintf("the key %q is set in Redis after the commit that keeps %s%s: a crash between the two loses the key, and a retry does the work again. Keep the key in a table, in the transaction of the work, and let Redis have a copy.%s",
				key.Table, work.thing(), lost, key.path()),
			begin, related{work.Pos, work.thing() + " is written here"})
	}
	return c.tell(key, keyAfterCommit, report.Error, confidence(key, work),
		fmt.Sprintf("%s is written after the commit that keeps %s%s: a crash between the two loses the key, and a retry does the work again. Write it in the transaction, before the commit.%s",
			key.thing(), work.thing(), lost, key.path()),
		begin, related{c.commit(work), "the work is committed here"})
}

// tellKeyBefore tells of a claim that is kept before the work begins.
func (c *checker) tellKeyBefore(f *function, key, work *write) bool {
	_, begin := c.begin(f, work)
	if key.Engine == storeflow.Redis {
		return c.tell(key, keyBeforeTx, report.Error, confidence(key, work),
			fmt.Sprintf("the claim %q in Redis is kept before the transaction that writes %s begins, and nothing here takes it back: when the work fails the claim stays, and a retry is refused or answered without the work. Release it on failure, or claim in a table in the transaction of the work.%s",
				key.Table, work.thing(), key.path()),
			begin)
	}
	return c.tell(key, keyBeforeTx, report.Error, confidence(key, work),
		fmt.Sprintf("the claim in %s is kept before the transaction that writes %s begins, and nothing here completes it or takes it back: when the work fails the claim stays, and a retry is refused or answered without the work. Claim in the transaction of the work, or complete and release the claim.%s",
			key.thing(), work.thing(), key.path()),
		begin, related{work.Pos, work.thing() + " is written here"})
}

// tellRedisInside tells of a key that Redis has before the work is certain.
func (c *checker) tellRedisInside(f *function, key, work *write) bool {
	line, begin := c.begin(f, work)
	return c.tell(key, redisBesideTx, report.Error, confidence(key, work),
		fmt.Sprintf("the key %q is set in Redis inside the transaction%s that writes %s: Redis keeps it when the transaction is rolled back or the commit fails, and a retry is answered without the work. Keep the key in a table, in the transaction, and copy it to Redis after the commit.%s",
			key.Table, line, work.thing(), key.path()),
		begin, related{work.Pos, work.thing() + " is written here"})
}

// tellWorkOutside tells of work that is written beside the transaction of its key.
func (c *checker) tellWorkOutside(f *function, key, work *write) bool {
	line, begin := c.begin(f, key)
	cure := "Write both in one transaction."
	if name := c.txName(key.unit); name != "" {
		cure = "Write it through " + name + ", as the key is."
	}
	return c.tellWithFix(work, workOutsideTx, report.Error, confidence(key, work),
		fmt.Sprintf("%s is written %s, beside the transaction%s that keeps its key in %s: when the transaction is rolled back the work stays and a retry does it again. %s%s",
			work.thing(), c.way(work), line, key.thing(), cure, work.path()),
		c.useTx(f, work, key), begin, related{key.Pos, "the key is written here"})
}

// tellWorkAfter tells of work that comes after the commit of its key.
func (c *checker) tellWorkAfter(f *function, key, work *write) bool {
	_, begin := c.begin(f, key)
	grade := confidence(key, work)
	return c.tell(work, workAfterCommit, report.Warning, grade,
		fmt.Sprintf("%s is written after the commit that keeps the key in %s: a crash between the two loses this part of the work, and a retry is answered without it. Write it in the transaction, or let an outbox row in it start this part.%s",
			work.thing(), key.thing(), work.path()),
		begin, related{c.commit(key), "the key is committed here"})
}

// tellLoose tells of a key and of work that no transaction holds together.
func (c *checker) tellLoose(f *function, key, work *write, keyLast bool) bool {
	cost := "when the work fails or the process dies between them the key stays, and a retry is answered without the work"
	if keyLast {
		cost = "a crash between the two loses the key, and a retry does the work again"
	}
	if key.Engine == storeflow.Redis {
		text := fmt.Sprintf("the claim %q in Redis is kept before %s is written, and nothing here takes it back", key.Table, work.thing())
		category := keyBeforeTx
		if keyLast {
			text = fmt.Sprintf("the key %q is set in Redis after %s is written", key.Table, work.thing())
			category = redisBesideTx
		}
		return c.tell(key, category, report.Error, confidence(key, work),
			fmt.Sprintf("%s: %s. Keep the key in a table, in one transaction with the work.%s", text, cost, key.path()),
			related{work.Pos, work.thing() + " is written here"})
	}
	if out, known := leaves(key.Call); keyLast && known && !out {
		cost += "; its error does not leave the function either"
	}
	return c.tell(key, noTransaction, report.Error, confidence(key, work),
		fmt.Sprintf("%s and %s are written without a transaction that holds both: %s. Write both in one transaction.%s",
			key.thing(), work.thing(), cost, key.path()),
		related{work.Pos, work.thing() + " is written here"})
}

// tellWithFix is tell with what mends it.
func (c *checker) tellWithFix(at *write, category string, severity report.Severity, grade settings.Confidence, message string, fixes []analysis.SuggestedFix, places ...related) bool {
	finding := report.Finding{Pos: at.Pos, Category: category, Severity: severity, Confidence: grade, Message: message, Fixes: fixes}
	for _, place := range places {
		if place.pos.IsValid() {
			finding.Related = append(finding.Related, place.information())
		}
	}
	c.reporter.Report(finding)
	return true
}

// begin says where the transaction of a write begins: " of line 12", or nothing where it was given.
func (c *checker) begin(f *function, w *write) (line string, place related) {
	switch {
	case w.unit.kind == inTx && w.unit.tx.Begin != nil:
		pos := w.unit.tx.Begin.Pos()
		return fmt.Sprintf(" of line %d", c.pass.Fset.Position(pos).Line), related{pos, "the transaction begins here"}
	case w.unit.kind == inTx:
		pos := w.unit.tx.Tx.Pos()
		return fmt.Sprintf(" of line %d", c.pass.Fset.Position(pos).Line), related{pos, "the transaction is given here"}
	case w.unit.kind == ownTx:
		return " of the function that is called", related{w.Pos, "this call does its own transaction"}
	}
	return "", related{}
}

// commit is where the transaction of a write is committed.
func (c *checker) commit(w *write) token.Pos {
	switch w.unit.kind {
	case inTx:
		if len(w.unit.tx.Commits) > 0 {
			return w.unit.tx.Commits[0].Pos()
		}
		if w.unit.tx.Begin != nil {
			return w.unit.tx.Begin.Pos()
		}
	case ownTx:
		return w.Pos
	}
	return token.NoPos
}

// way says over what a write goes.
func (c *checker) way(w *write) string {
	switch w.unit.kind {
	case inTx, ownTx:
		return "in another transaction"
	case apart:
		return "without the session"
	case bound:
		if w.Executor.Static != storeflow.Pool && w.Executor.Static != storeflow.Conn {
			return "over queries that are not the transaction's"
		}
	}
	return "over the pool"
}

// path tells the way from a call to the statement that it leads to.
func (w *write) path() string {
	if len(w.Path) == 0 {
		return ""
	}
	steps := make([]string, 0, len(w.Path))
	for _, step := range w.Path {
		steps = append(steps, step.String())
	}
	if len(steps) == 0 {
		return ""
	}
	return " The statement is in " + strings.Join(steps, " > ") + "."
}
