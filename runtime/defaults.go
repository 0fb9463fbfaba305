package runtime

import "github.com/idemgen/idemgen/runtime/policy"

// DefaultErrors are the answers that the runtime gives where a policy says nothing of them. Generated code leaves out
// what is equal, so that [WithProblemBase] has its say.
func DefaultErrors() policy.Errors {
	answer := func(c *problemCase) policy.ErrorAnswer {
		return policy.ErrorAnswer{Status: c.status, Type: DefaultProblemBase + c.name, Title: c.title}
	}
	return policy.Errors{
		Missing:     answer(caseMissing),
		Malformed:   answer(caseMalformed),
		Mismatch:    answer(caseMismatch),
		InFlight:    answer(caseInFlight),
		Unavailable: answer(caseUnavailable),
		TooLarge:    answer(caseTooLarge),
		Expired:     answer(caseExpired),
		Shape:       "problem",
	}
}
