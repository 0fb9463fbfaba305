package extension

import (
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/runtime/policy"
)

// This file holds what the grammar has and this version does not generate yet. Each check is deleted together with its
// rule when the feature comes; with the last one the file goes, and the two calls to it.

var (
	ruleShapeUnsupported   = rule("shape-unsupported", diag.Error, "this version has the error shapes problem and stripe")
	ruleProfileUnsupported = rule("profile-unsupported", diag.Error, "this version has the profiles that it lists")
)

// laterProfiles are the names that the grammar knows and that are not shipped yet.
var laterProfiles = []string{"adyen", "aip-155", "aws", "paypal", "repeatability", "square", "stripe-v2"}

// reportLaterProfile reports a profile that is not shipped yet. It is false for any other name.
func (r *reader) reportLaterProfile(node *yaml.Node, name string) bool {
	if !slices.Contains(laterProfiles, name) {
		return false
	}
	r.report(ruleProfileUnsupported, node, "state its values as members, on top of a profile that is here", "profile %s is not in this version, which has %s", name, alternatives(policy.ProfileNames()))
	return true
}

// checkUnsupported reports what an effective policy asks for and this version cannot generate.
func (v *resolver) checkUnsupported() {
	if shape := v.op.Policy.Errors.Shape; shape != "problem" && shape != "stripe" {
		v.report(ruleShapeUnsupported, "errors.shape", "write shape: problem or shape: stripe", "this version has the error shapes problem and stripe, not %s", show(shape))
	}
}
