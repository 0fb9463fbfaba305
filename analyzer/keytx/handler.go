package keytx

import (
	"fmt"
	"go/token"

	"github.com/idemgen/idemgen/analyzer/internal/report"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
	"github.com/idemgen/idemgen/analyzer/internal/storeflow"
)

// checkHandler looks at a function that our runtime gives a transaction, or several to its steps: the key is kept in each of them, so
// whatever is written elsewhere is done again by a retry, or stays when they are rolled back.
func (c *checker) checkHandler(f *function) {
	for _, w := range append(append([]*write(nil), f.keys...), f.works...) {
		if w.failure || w.deferred || w.Engine != storeflow.SQL {
			continue
		}
		way, grade, outside := outsideHandler(w)
		if !outside {
			continue
		}
		place := c.placeFor(f, w)
		c.tell(w, handlerOutsideTx, report.Error, grade,
			fmt.Sprintf("%s is written %s, outside %s: it stays when %s rolled back, and a retry writes it again. Write it through %s.%s",
				w.thing(), way, place.given, place.those, place.through, w.path()),
			place.related)
	}
	for _, w := range f.reads {
		if w.Engine != storeflow.SQL || w.thing() == "" {
			continue
		}
		if _, _, outside := outsideHandler(w); !outside {
			continue
		}
		place := c.placeFor(f, w)
		c.tell(w, handlerReads, report.Info, settings.Low,
			fmt.Sprintf("%s is read outside %s, so it does not see what the handler has written, and needs a second connection. Read it through %s where that matters.%s",
				w.thing(), place.given, place.through, w.path()),
			place.related)
	}
}

// outsideHandler reports whether an access is done in no transaction that our runtime gives, and how.
func outsideHandler(w *write) (way string, grade settings.Confidence, outside bool) {
	if w.Guessed || w.unit.kind == inTx && w.unit.tx.Runtime || w.Executor.Runtime {
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

// place is where a write belongs, in words.
type place struct {
	given, those, through string
	related               related
}

// placeFor tells the transaction that a write should have been done in: the one that is given where it stands, or the only one. Between
// the steps of a lease it may be any of them.
func (c *checker) placeFor(f *function, w *write) place {
	belongs, several := f.handler, false
	for _, given := range f.transactions {
		if !given.Runtime || given.Body == nil {
			continue
		}
		if given.Begin == w.Call || within(w.Call.Parent(), given.Body) {
			belongs, several = given, false
			break
		}
		several = several || given != f.handler
	}
	at := related{token.NoPos, "the handler is given its transaction here"}
	if belongs.Tx != nil {
		at.pos = belongs.Tx.Pos()
	} else if belongs.Begin != nil {
		at.pos = belongs.Begin.Pos()
	}
	if several && f.handler.Body != nil {
		return place{"the transactions that the handler was given", "they are", "the one of a step", at}
	}
	name := c.txName(unit{kind: inTx, tx: belongs})
	if name == "" {
		return place{"the transaction that the handler was given", "that is", "the handler's transaction", at}
	}
	return place{"the transaction that the handler was given as " + name, "that is", name, at}
}
