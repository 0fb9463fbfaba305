package compat

import (
	"strings"

	"github.com/idemgen/idemgen/runtime/policy"
)

var (
	ruleKeyMoved = breaking("key-moved",
		"A client that sends the key where it was is taken for one without a key: it is refused where a key is required, and unprotected where not",
		"serve the new place as another version of the operation, and go on reading the old one there", Clients)
	ruleHeaderCase = editorial("header-case",
		"The name of a header is the same in capitals and small letters")
	ruleKeyRequired = breaking("key-required",
		"A client that sends no key is refused",
		"leave it optional, and ask clients to send one; require it when they do", Clients)
	ruleKeyOptional = compatible("key-optional",
		"A client that forgets the key is not told any more: its request runs unprotected", Clients)

	ruleFormatNarrower = breaking("key-format-narrower",
		"A client whose keys have the old form and not the new one is refused",
		"advise the new form and go on taking the old one", Clients)
	ruleFormatWider = compatible("key-format-wider",
		"Keys of further forms are taken", Clients)
	ruleLengthNarrower = breaking("key-length-narrower",
		"A client whose keys have a length that is not allowed any more is refused, a retry of a request that was accepted among them",
		"advise the new length and go on taking the old one", Clients)
	ruleLengthWider = compatible("key-length-wider",
		"Keys of further lengths are taken", Clients)
	ruleUnitNarrower = breaking("key-unit-narrower",
		"A client is refused whose keys are within the limits by the old count, and outside by the new one: a character has up to four bytes",
		"widen the limit at the same time, so that each key that fits still does", Clients)
	ruleUnitWider = compatible("key-unit-wider",
		"Each key that was within the limits by the old count is within them by the new one", Clients)

	rulePatternAdded = breaking("key-pattern-added",
		"A client whose keys do not match the pattern is refused",
		"advise the pattern and do not enforce it", Clients)
	rulePatternRemoved = compatible("key-pattern-removed",
		"Keys that the pattern ruled out are taken", Clients)
	rulePatternChanged = breaking("key-pattern-changed",
		"A client whose keys match the old pattern and not the new one is refused; whether there are such keys cannot be told from the patterns, so this counts as breaking",
		"write the new pattern as the old one with an alternative: OLD|NEW", Clients)
	ruleSyntaxNarrower = breaking("key-syntax-narrower",
		"A client that writes the key in the form that is not taken any more is refused",
		"take both forms (either): they are one key", Clients)
	ruleSyntaxWider = compatible("key-syntax-wider",
		"The key is taken with quotation marks and without, and is the same key", Clients)
	rulePersonalDataRefused = breaking("key-personal-data-refused",
		"A client whose keys hold an e-mail address is refused",
		"ask for random keys first, and refuse when no such key is seen any more", Clients)
	rulePersonalDataTaken = compatible("key-personal-data-taken",
		"A key with an e-mail address is taken", Clients)

	ruleFirstSentRequired = breaking("first-sent-required",
		"A client that sends a key without the time of its first attempt is refused",
		"ask clients for the header first, and read it when they send it", Clients)
	ruleFirstSentDropped = breaking("first-sent-dropped",
		"A retry that comes after the retention was refused, and is now carried out once more",
		"go on reading the header; lengthen the retention if refusals are the trouble", Clients)
	ruleFirstSentRenamed = breaking("first-sent-renamed",
		"A client that sends the time of its first attempt in the old header is refused",
		"serve the new header in another version of the operation", Clients)
	ruleSkewNarrower = breaking("first-sent-skew-narrower",
		"A client whose clock is ahead by more than is allowed now is refused",
		"keep the wider tolerance", Clients)
	ruleSkewWider = compatible("first-sent-skew-wider",
		"A client's clock may be further ahead", Clients)
)

var keyRows = []row{
	{
		fields: []string{"Key.In", "Key.Name", "Key.Pointer"}, member: "key.in",
		value: func(p *policy.Policy) string {
			if p.Key.In == policy.InBody {
				return quoted(string(p.Key.In)) + " " + quoted(p.Key.Pointer)
			}
			return quoted(string(p.Key.In)) + " " + quoted(p.Key.Name)
		},
		judge: func(p pair) Rule {
			before, after := p.old.Policy.Key, p.new.Policy.Key
			if before.In == policy.InHeader && after.In == policy.InHeader && strings.EqualFold(before.Name, after.Name) {
				return ruleHeaderCase
			}
			return ruleKeyMoved
		},
	},
	{
		fields: []string{"Key.Required"}, member: "key.required",
		value: yesNo(keyRequired), judge: turned(keyRequired, ruleKeyRequired, ruleKeyOptional),
	},
	{
		fields: []string{"Key.Format"}, member: "key.format",
		value: func(p *policy.Policy) string { return string(format(p)) },
		judge: func(p pair) Rule {
			const ofUUID = 36 // characters
			before, after := format(&p.old.Policy), format(&p.new.Policy)
			switch {
			case after == policy.AnyFormat && minLength(&p.new.Policy) <= ofUUID && maxLength(&p.new.Policy) >= ofUUID,
				after == policy.UUID && before != policy.AnyFormat:
				return ruleFormatWider
			default:
				return ruleFormatNarrower
			}
		},
	},
	{
		fields: []string{"Key.MinLength"}, member: "key.minLength", context: lengthRead,
		value: number(minLength), judge: grown(minLength, ruleLengthNarrower, ruleLengthWider),
	},
	{
		fields: []string{"Key.MaxLength"}, member: "key.maxLength", context: lengthRead,
		value: number(maxLength), judge: grown(maxLength, ruleLengthWider, ruleLengthNarrower),
	},
	{
		// In a header a character is a byte: nothing but ASCII is taken there.
		fields: []string{"Key.LengthUnit"}, member: "key.lengthUnit",
		context: within(func(op *policy.Operation) bool { return lengthRead(op) != "" && op.Policy.Key.In != policy.InHeader }),
		value:   func(p *policy.Policy) string { return string(unit(p)) },
		judge: func(p pair) Rule {
			// By bytes a long key is up to four times as long, and by characters a short one down to a quarter.
			before, after := &p.old.Policy, &p.new.Policy
			if unit(after) == policy.Bytes && maxLength(after) < 4*maxLength(before) ||
				unit(after) != policy.Bytes && minLength(after) > (minLength(before)+3)/4 {
				return ruleUnitNarrower
			}
			return ruleUnitWider
		},
	},
	{
		fields: []string{"Key.Pattern"}, member: "key.pattern",
		value: text(func(p *policy.Policy) string { return p.Key.Pattern }),
		judge: func(p pair) Rule {
			switch {
			case p.old.Policy.Key.Pattern == "":
				return rulePatternAdded
			case p.new.Policy.Key.Pattern == "":
				return rulePatternRemoved
			default:
				return rulePatternChanged
			}
		},
	},
	{
		fields: []string{"Key.Syntax"}, member: "key.syntax",
		context: within(func(op *policy.Operation) bool { return op.Policy.Key.In == policy.InHeader }),
		value:   word(func(p *policy.Policy) policy.Syntax { return p.Key.Syntax }),
		judge: func(p pair) Rule {
			if p.new.Policy.Key.Syntax == policy.Either {
				return ruleSyntaxWider
			}
			return ruleSyntaxNarrower
		},
	},
	{
		fields: []string{"Key.RefusePersonalData"}, member: "key.refusePersonalData",
		value: yesNo(refusesPersonalData), judge: turned(refusesPersonalData, rulePersonalDataRefused, rulePersonalDataTaken),
	},
	{
		fields: []string{"Key.FirstSent.Header"}, member: "key.firstSent.header",
		value: text(firstSent),
		judge: func(p pair) Rule {
			before, after := firstSent(&p.old.Policy), firstSent(&p.new.Policy)
			switch {
			case before == "":
				return ruleFirstSentRequired
			case after == "":
				return ruleFirstSentDropped
			case strings.EqualFold(before, after):
				return ruleHeaderCase
			default:
				return ruleFirstSentRenamed
			}
		},
	},
	{
		fields: []string{"Key.FirstSent.MaxSkew"}, member: "key.firstSent.maxSkew", context: within(asksFirstSent),
		value: span(maxSkew), judge: grown(maxSkew, ruleSkewWider, ruleSkewNarrower),
	},
}

func keyRequired(p *policy.Policy) bool         { return p.Key.Required }
func minLength(p *policy.Policy) int            { return max(1, p.Key.MinLength) } // an empty key is none
func maxLength(p *policy.Policy) int            { return p.Key.MaxLength }
func refusesPersonalData(p *policy.Policy) bool { return p.Key.RefusePersonalData }
func firstSent(p *policy.Policy) string         { return p.Key.FirstSent.Header }
func maxSkew(p *policy.Policy) policy.Duration  { return p.Key.FirstSent.MaxSkew }

func asksFirstSent(op *policy.Operation) bool { return op.Policy.Key.FirstSent.Header != "" }

// format and unit fill in what the zero value stands for.
func format(p *policy.Policy) policy.Format {
	if p.Key.Format == "" {
		return policy.AnyFormat
	}
	return p.Key.Format
}

func unit(p *policy.Policy) policy.LengthUnit {
	if p.Key.LengthUnit == "" {
		return policy.Characters
	}
	return p.Key.LengthUnit
}

// lengthRead: a UUID has 36 characters, whatever the limits are that it fits into.
func lengthRead(op *policy.Operation) string {
	if format(&op.Policy) == policy.AnyFormat {
		return "read"
	}
	return ""
}
