package keytx

import (
	"fmt"

	"github.com/idemgen/idemgen/analyzer/internal/report"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
	"github.com/idemgen/idemgen/analyzer/internal/storeflow"
)

// checkHandler looks at a function that our runtime gives a transaction: the key is kept in it, so whatever is written elsewhere is done
// again by a retry, or stays when the answer is rolled back.
func (c *checker) checkHandler(f *function) {
	for _, w := range append(append([]*write(nil), f.keys...), f.works...) {
		if w.failure || w.deferred || w.Engine != storeflow.SQL {
			continue
		}
		way, grade, outside := c.outsideHandler(f, w)
		if !outside {
			continue
		}
		name := c.handlerTx(f)
		c.tell(w, handlerOutsideTx, report.Error, grade,
			fmt.Sprintf("%s is written %s, outside the transaction that the handler was given%s: it stays when the handler's answer is rolled back, and a retry writes it again. Write it through %s.%s",
				w.thing(), way, asName(name), or(name, "the handler's transaction"), w.path()),
			related{f.handler.Tx.Pos(), "the handler is given its transaction here"})
	}
	for _, w := range f.reads {
		if w.Engine != storeflow.SQL || w.thing() == "" {
			continue
		}
		if _, _, outside := c.outsideHandler(f, w); !outside {
			continue
		}
		name := c.handlerTx(f)
		c.tell(w, handlerReads, report.Info, settings.Low,
			fmt.Sprintf("%s is read outside the transaction that the handler was given%s, so it does not see what the handler has written, and needs a second connection. Read it through %s where that matters.%s",
				w.thing(), asName(name), or(name, "the handler's transaction"), w.path()),
			related{f.handler.Tx.Pos(), "the handler is given its transaction here"})
	}
}

// outsideHandler reports whether an access is not done in the handler's transaction, and how.
func (c *checker) outsideHandler(f *function, w *write) (way string, grade settings.Confidence, outside bool) {
	if w.Guessed || w.unit.kind == inTx && w.unit.tx == f.handler {
		return "", "", false
	}
	switch w.unit.kind {
	case inTx, ownTx:
		return "in another transaction", settings.High, true
	case pooled:
		return "over the pool", settings.High, true
	case bound:
		// A handler is made before any transaction of a request.
		if w.Executor.Static == storeflow.Pool {
			return "over the pool", settings.Medium, true
		}
		return "over what the service was made with", settings.Medium, true
	}
	return "", "", false
}

func (c *checker) handlerTx(f *function) string { return c.txName(unit{kind: inTx, tx: f.handler}) }

func asName(name string) string {
	if name == "" {
		return ""
	}
	return " as " + name
}

func or(name, otherwise string) string {
	if name == "" {
		return otherwise
	}
	return name
}
