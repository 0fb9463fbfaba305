package compat

import "github.com/idemgen/idemgen/runtime/policy"

var (
	ruleRetentionShorter = needing(breaking("retention-shorter",
		"A client that retries when the new time is over and the old one was not has its request carried out once more",
		"keep the time that clients were promised, and shorten it in another version of the operation", Clients), needAnnouncement)
	ruleRetentionLonger = needing(compatible("retention-longer",
		"A key is remembered for longer: a client may retry later, and must not use a key again before the longer time is over", Clients), needOldRecords)
	ruleRetryWindowShorter = compatible("retry-window-shorter",
		"Clients are asked to stop retrying sooner; a retry within the old time is recognised all the same, as the key is still remembered", Clients)
	ruleRetryWindowLonger = compatible("retry-window-longer",
		"Clients may go on retrying for longer, while the key is remembered", Clients)
	ruleRetryWindowUncovered = breaking("retry-window-uncovered",
		"A client that retries as late as it was allowed to has its request carried out once more, as its key is forgotten by then",
		"keep the retention longer than the longest retry that was ever allowed", Clients)
	ruleRetryWindowOpen = compatible("retry-window-open",
		"Nothing is said any more of how long clients may retry: until the key is forgotten", Clients)
)

var timeRows = []row{
	{
		fields: []string{"Retention"}, member: "retention",
		value: span(retention), judge: grown(retention, ruleRetentionLonger, ruleRetentionShorter),
	},
	{
		fields: []string{"RetryWindow"}, member: "retryWindow",
		value: span(retryWindow), judge: func(p pair) Rule {
			before, after := p.old.Policy.RetryWindow, p.new.Policy.RetryWindow
			kept, was := p.new.Policy.Retention, p.old.Policy.Retention
			switch {
			case after >= kept, before >= kept && before < was: // a window that was open before is no worse for it
				return ruleRetryWindowUncovered
			case after == 0:
				return ruleRetryWindowOpen
			case before == 0 || after < before:
				return ruleRetryWindowShorter
			default:
				return ruleRetryWindowLonger
			}
		},
	},
}

func retention(p *policy.Policy) policy.Duration   { return p.Retention }
func retryWindow(p *policy.Policy) policy.Duration { return p.RetryWindow }
