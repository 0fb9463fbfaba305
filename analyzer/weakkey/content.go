package weakkey

import (
	"strings"

	"github.com/idemgen/idemgen/analyzer/internal/keyflow"
	"github.com/idemgen/idemgen/analyzer/internal/names"
	"github.com/idemgen/idemgen/analyzer/internal/report"
	"github.com/idemgen/idemgen/analyzer/internal/settings"
)

// contentWords are in the names of what two equal orders have in common: what is bought and by whom.
var contentWords = []string{"amount", "price", "total", "currency", "quantity", "customer", "user", "account", "merchant", "from", "to", "sender", "recipient", "receiver", "payer", "payee", "source", "destination", "description", "country", "method", "email", "phone"}

// ofContent tells of a key that is a hash of nothing but what two equal orders have in common. One name that may tell them apart is enough to leave it alone.
func ofContent(send *keyflow.Send, p parts) *report.Finding {
	amount := false
	for _, origin := range p.named {
		fields := membersOf(origin)
		if len(fields) == 0 {
			fields = []string{nameOf(origin)}
		}
		for _, name := range fields {
			if !isContent(name) {
				return nil
			}
			amount = amount || isAmount(name)
		}
	}
	if !amount {
		return nil
	}
	return &report.Finding{
		Pos: send.Pos(), Category: "key-from-content", Severity: report.Info, Confidence: settings.Medium,
		Message: subject(send) + " is a hash of what is asked for, so the same customer's second, equal order is taken for a repetition of the first. Put something into it that tells two orders apart, such as the order's id.",
	}
}

// membersOf gives the names of the members of a struct that is hashed as a whole.
func membersOf(origin keyflow.Origin) []string {
	if origin.Param == nil || origin.Field != "" {
		return nil
	}
	structure := structOf(origin.Param.Type())
	if structure == nil {
		return nil
	}
	var fields []string
	for i := range structure.NumFields() {
		fields = append(fields, structure.Field(i).Name())
	}
	return fields
}

func isContent(name string) bool {
	for _, word := range contentWords {
		if hasWord(name, word) {
			return true
		}
	}
	return false
}

func isAmount(name string) bool {
	return hasWord(name, "amount") || hasWord(name, "price") || hasWord(name, "total")
}

func hasWord(name, word string) bool {
	for _, w := range names.Words(name) {
		if strings.TrimSuffix(w, "s") == word {
			return true
		}
	}
	return false
}
