package proposal

import (
	"github.com/idemgen/idemgen/generator/effect"
	"github.com/idemgen/idemgen/runtime/policy"
)

// advice is a decision, as it is written in YAML, and under which condition, which may be empty.
type advice struct{ decision, condition string }

func natural(why string) advice {
	return advice{`{natural: "` + why + `"}`, "once that is checked"}
}

var requiredOrOptional = advice{"required", "or optional while clients catch up"}

// likely is what an operation of a kind is most often.
var likely = map[effect.Kind]advice{
	effect.Read:      natural("changes nothing"),
	effect.End:       natural("a repeat changes nothing more"),
	effect.Set:       natural("sets absolute values"),
	effect.Relative:  {decision: "required"},
	effect.Money:     {decision: "required"},
	effect.Order:     {decision: "required"},
	effect.Message:   {decision: "required"},
	effect.Provision: {decision: "required"},
	effect.Create:    requiredOrOptional,
	effect.Unknown:   requiredOrOptional,
}

// reasonFor says why a repeat of op may matter, as a sentence without a full stop, and what such an operation is most
// often. A person who decides reads it; a wrong guess costs that person a glance.
func reasonFor(op *policy.Operation) (text string, decision advice) {
	e := effect.Of(op)
	return e.Why, likely[e.Kind]
}
