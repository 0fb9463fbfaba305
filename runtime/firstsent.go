package runtime

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/idemgen/idemgen/runtime/policy"
)

// Clock is a store that tells its own time, the time that its records expire by. A [Store] may implement it. Without one
// the time of a request's first attempt (key.firstSent) is compared with this process's clock: a retry may then come, by
// as much as that clock is behind the store's, when its record has expired already, and be carried out again.
type Clock interface {
	// Now is the store's time when it was asked, not when a transaction began. It holds no connection afterwards.
	Now(ctx context.Context) (time.Time, error)
}

// firstSent is when a request was first sent, and what is known of the store's clock.
type firstSent struct {
	given bool      // false where the policy does not ask for it, or there is no key
	at    time.Time // any date, Go's zero time included
	now   time.Time // by the store's clock, when the request came; not in work that was taken up by a later worker
	asked time.Time // this process's clock just before that; zero where now is not there
}

// checkFirstSent is a part of checkKey. The time belongs to the fingerprint: it is the same on each attempt, and one that is
// made anew for each would never be too long ago.
func (p *plan) checkFirstSent(fault faultFunc) {
	rules := &p.op.Policy.Key.FirstSent
	if rules.Header == "" {
		return
	}
	p.firstSent = http.CanonicalHeaderKey(rules.Header)
	switch {
	case !policy.IsToken(rules.Header):
		fault("key.firstSent.header %q is not a header name", rules.Header)
	case p.firstSent == p.keyHeader:
		fault("key.firstSent.header is the key's own header")
	}
	if rules.MaxSkew < 0 {
		fault("key.firstSent.maxSkew is %v: it is not negative", rules.MaxSkew)
	}
	if !slices.Contains(p.fingerprint, p.firstSent) {
		p.fingerprint = append(p.fingerprint, p.firstSent)
		slices.Sort(p.fingerprint)
	}
}

// firstAttempt reads when a request with a key was first sent.
func (p *plan) firstAttempt(r *http.Request) (firstSent, *Problem) {
	if p.firstSent == "" {
		return firstSent{}, nil
	}
	at, err := firstSentTime(r.Header[p.firstSent])
	if err != nil {
		return firstSent{}, p.problem(caseMalformed, "The "+p.firstSent+" header "+err.Error()+".")
	}
	return firstSent{given: true, at: at}, nil
}

// firstSentTime reads an IMF-fixdate (RFC 9110, section 5.6.7) from the lines of its header, and nothing else: not the two
// obsolete forms, no other zone, no wrong day of the week. The error goes on from "The header ...".
func firstSentTime(lines []string) (time.Time, error) {
	switch {
	case len(lines) == 0:
		return time.Time{}, errors.New("is missing; it says when this request was first sent, such as Sun, 06 Nov 1994 08:49:37 GMT, and is the same on each attempt")
	case len(lines) > 1:
		return time.Time{}, errors.New("is sent in more than one line")
	}
	text := strings.Trim(lines[0], " \t")
	at, err := time.Parse(http.TimeFormat, text)
	if err != nil || at.Format(http.TimeFormat) != text { // time.Parse takes fractions, small letters and any day of the week
		return time.Time{}, errors.New("is not a date of the form Sun, 06 Nov 1994 08:49:37 GMT (RFC 9110, section 5.6.7)")
	}
	return at, nil
}

// inTime compares the time of the first attempt with the store's clock. What is refused has touched no record.
//
// Within the retention of it, by the same clock as the records expire by, a retry finds the record of its first attempt, if
// that was carried out. After it, nobody could tell.
func (c *Call[TX]) inTime(ctx context.Context) *Problem {
	if !c.first.given {
		return nil
	}
	asked := time.Now()
	now, err := c.engine.now(ctx)
	if err != nil {
		if ctx.Err() == nil {
			c.engine.observe(ctx, c.plan, "store failed", err)
		}
		return c.plan.unavailable()
	}
	c.first.now, c.first.asked = now, asked
	switch {
	case c.first.at.Sub(now) > c.plan.op.Policy.Key.FirstSent.MaxSkew:
		return c.plan.problem(caseExpired, "Nothing was done. The time in the "+c.plan.firstSent+" header is further in the future than clocks may differ. Set the clock right.")
	case c.late():
		return c.plan.expired()
	default:
		return nil
	}
}

func (p *plan) expired() *Problem {
	return p.problem(caseExpired, "Nothing was done by this request. Its first attempt is longer ago than a key is remembered, so it cannot be told whether that was carried out: read the current state before you send a new request.")
}

// late reports whether the first attempt is longer ago than the retention by now: a request may have waited since it came.
// The store's clock is not asked again, this process's says how long that was.
func (c *Call[TX]) late() bool {
	return !c.first.asked.IsZero() && c.first.now.Add(time.Since(c.first.asked)).Sub(c.first.at) > c.plan.op.Policy.Retention
}

// madeLate reports whether the record of this request, which was made at the given time of the store, may have been made when
// it was too late. Its first worker has refused it then, and had no record that says so: it died, or could not remove it. A claim
// may have waited since the time that it was made at, for what was in its way to go, so some of those that were in time count as
// late too; which is why what has begun all the same is finished (see [Lease.begins]).
func (c *Call[TX]) madeLate(created time.Time) bool {
	return c.first.given && created.Add(c.engine.settings.claimTimeout).Sub(c.first.at) > c.plan.op.Policy.Retention
}

// errTooLate is work of a record that was made too late, and has not begun.
var errTooLate = Explain("the request was too late when its record was made, so its work is not begun; return this error from the handler", nil)

// begins has work that was made too late not begin: nothing of it is done, and the record is removed. It is asked where nothing
// can have been done before.
func (l *Lease[TX]) begins() error {
	if !l.late {
		return nil
	}
	l.over = true
	return errTooLate
}

// kept is how long the record is kept: the retention, and longer where the client's clock is before the store's, so that no
// retry which is in time comes after it.
func (c *Call[TX]) kept() time.Duration {
	rules := &c.plan.op.Policy
	switch {
	case c.plan.firstSent == "" || c.key == "":
		return rules.Retention
	case c.first.asked.IsZero():
		return rules.Retention + rules.Key.FirstSent.MaxSkew
	default:
		return rules.Retention + max(c.first.at.Sub(c.first.now), 0)
	}
}

// now is the store's time, and this process's where the store tells none.
func (e *Engine[TX]) now(ctx context.Context) (now time.Time, err error) {
	clock, ok := e.store.(Clock)
	if !ok {
		return time.Now(), nil
	}
	bounded, cancel := context.WithTimeout(ctx, e.settings.claimTimeout)
	defer cancel()
	err = caught(func() (err error) {
		now, err = clock.Now(bounded)
		return err
	})
	return now, err
}
