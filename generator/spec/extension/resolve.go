package extension

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/runtime/policy"
)

// ResolveInput is what is known of one operation before its policy is worked out.
type ResolveInput struct {
	// Operation has ID, Method, Path, Pos and Declared set; [Resolve] fills in the rest of what is decided about it.
	Operation *policy.Operation
	// Root, PathItem and Own are x-idempotency at the three levels, nil where absent.
	Root          *Root
	PathItem, Own *Members
	// FernIdempotent is the operation's x-fern-idempotent, FernHeaders the root's x-fern-idempotency-headers, nil where
	// absent.
	FernIdempotent, FernHeaders *yaml.Node
	// Profiles are those that x-idempotency can name; nil: the built-in ones.
	Profiles *Profiles
	// AcceptDeclared takes a key parameter that the document declares as a decision.
	AcceptDeclared bool
	// Named looks up what the schemas say of a key in a body or form whose place x-idempotency names, nil where there are
	// none. Required is true only where no body can leave the key out.
	Named func(place policy.Key) (policy.DeclaredKey, bool)
	At    Locator
}

// Resolve decides about one operation and works out its effective policy: it fills Decision, Reason, Condition, DecidedAt,
// Policy and Origins of in.Operation. The findings are those that need no schema; [Check] has the others.
//
// Origins names every member that any layer sets, and below a list or a map also its entries, as in "scope.0" or
// "replay.status.201", so that a finding can point at one of them.
func Resolve(in ResolveInput) diag.List {
	if in.Operation == nil {
		return nil
	}
	v := &resolver{in: in, op: in.Operation}
	v.decide()
	v.checkDecision()
	if v.op.Decision == policy.Keyed {
		v.layer()
		v.checkPolicy()
	}
	return v.diags
}

// resolver works on one operation.
type resolver struct {
	in    ResolveInput
	op    *policy.Operation
	diags diag.List
	// accepted is the declared key that the decision itself rests on, if it does.
	accepted *policy.DeclaredKey
	// named is true when the declaration that counts was found at the place that x-idempotency names.
	named bool
	// effective holds the setting of the strongest layer for each member.
	effective map[string]effectiveSetting
}

type effectiveSetting struct {
	setting
	level policy.Level
}

// decide fills in what is said of repeating the operation.
func (v *resolver) decide() {
	v.op.Decision, v.op.Reason, v.op.Condition, v.op.DecidedAt = policy.Undecided, "", "", policy.Position{}
	v.op.Policy, v.op.Origins, v.op.Contract = policy.Policy{}, nil, nil
	if own := v.in.Own; own != nil {
		v.op.Decision, v.op.DecidedAt = own.decision.kind, own.decision.pos
		switch own.decision.kind {
		case policy.Natural, policy.NotRepeatable:
			v.op.Reason = own.decision.text
		case policy.Conditional:
			v.op.Condition = own.decision.text
		}
		return
	}
	if v.decideByFern() || v.decideByDeclaration() {
		return
	}
	if idempotentMethod(v.op.Method) {
		v.op.Decision = policy.Safe
	}
}

// idempotentMethod reports whether repeating the method has the effect of sending it once: RFC 9110, section 9.2.2, and
// QUERY, which is safe by its own draft.
func idempotentMethod(method string) bool {
	return slices.Contains([]string{"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY"}, strings.ToUpper(method))
}

// layer lays the layers over each other and applies what comes out.
func (v *resolver) layer() {
	v.effective = map[string]effectiveSetting{}
	profile := v.profile()
	v.effective["profile"] = profile.setting()
	v.layProfile(builtin, policy.LevelBuiltin, v.op.Pos)
	v.op.Contract = v.layProfile(profile.name, policy.LevelProfile, profile.pos)
	v.layDeclared()
	v.layAuthored()

	v.op.Policy = policy.Policy{}
	for _, set := range v.effective {
		set.apply(&v.op.Policy)
	}
	detach(&v.op.Policy)
	v.settle()
	v.op.Origins = v.origins()
}

// authoredLayers are the three levels of x-idempotency that are there, the weakest first.
func (v *resolver) authoredLayers() []*Members {
	var layers []*Members
	if v.in.Root != nil {
		layers = append(layers, &v.in.Root.members)
	}
	for _, m := range []*Members{v.in.PathItem, v.in.Own} {
		if m != nil {
			layers = append(layers, m)
		}
	}
	return layers
}

func (v *resolver) layAuthored() {
	for _, layer := range v.authoredLayers() {
		v.lay(layer.settings, layer.Level, policy.Position{})
	}
}

// lay puts a layer over those below. pos stands in for settings that have no position of their own.
func (v *resolver) lay(layer settings, level policy.Level, pos policy.Position) {
	for path, set := range layer {
		if !set.pos.IsValid() {
			set.pos = pos
		}
		v.effective[path] = effectiveSetting{setting: set, level: level}
	}
}

func (v *resolver) layProfile(name string, level policy.Level, pos policy.Position) *policy.Profile {
	found, err := v.in.Profiles.find(name)
	if err != nil {
		// A profile's name was checked where it stands, and its data by this package's tests.
		v.diags = append(v.diags, finding(ruleUnknownProfile, pos, "", "%v", err))
		return nil
	}
	v.lay(found.settings, level, pos)
	return found.profile
}

// profile returns the profile of the deepest level that names one.
func (v *resolver) profile() profileChoice {
	chosen := profileChoice{name: policy.DefaultProfile, level: policy.LevelBuiltin, pos: v.op.Pos}
	for _, layer := range v.authoredLayers() {
		if layer.profile.name != "" {
			chosen = layer.profile
			chosen.level = layer.Level
		}
	}
	return chosen
}

// unread reports whether a member is there, at some level, and could not be read. It has its finding already, and what
// depends on it is not judged.
func (v *resolver) unread(members ...string) bool {
	return slices.ContainsFunc(v.authoredLayers(), func(layer *Members) bool {
		return slices.ContainsFunc(layer.failed, func(failed string) bool {
			return slices.ContainsFunc(members, func(member string) bool {
				return member == failed || strings.HasPrefix(member, failed+".")
			})
		})
	})
}

// keyPlace are the members that say where a key is.
var keyPlace = []string{"key.in", "key.name", "key.pointer"}

// level returns the layer that set a member.
func (v *resolver) level(member string) policy.Level {
	if set, ok := v.effective[member]; ok {
		return set.level
	}
	return ""
}

// authoredAt reports whether x-idempotency itself sets a member, at whatever level.
func (v *resolver) authoredAt(member string) bool {
	set, ok := v.effective[member]
	return ok && authored(set.level)
}

// deeper reports whether member a was set by a stronger layer than b, or b not at all.
func (v *resolver) deeper(a, b string) bool {
	setA, okA := v.effective[a]
	setB, okB := v.effective[b]
	return okA && (!okB || layerOrder[setA.level] > layerOrder[setB.level])
}

// drop takes a member back that a weaker layer set and that means nothing beside a stronger one.
func (v *resolver) drop(member string) { delete(v.effective, member) }

func (v *resolver) origins() policy.Origins {
	var origins policy.Origins
	for path, set := range v.effective {
		origins = append(origins, policy.Origin{Member: path, Level: set.level, Pos: set.pos})
		for _, part := range set.parts {
			origins = append(origins, policy.Origin{Member: path + "." + part.name, Level: set.level, Pos: part.pos})
		}
	}
	slices.SortFunc(origins, func(a, b policy.Origin) int { return strings.Compare(a.Member, b.Member) })
	return origins
}

// report reports a finding about a member of the effective policy, where it was set.
func (v *resolver) report(rule Rule, member, hint, format string, args ...any) {
	v.diags = append(v.diags, finding(rule, v.op.MemberPosition(member), hint, format, args...))
}
