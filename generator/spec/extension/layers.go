package extension

import (
	"fmt"
	"slices"
	"sync"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/runtime/policy"
)

// layerOrder ranks the layers, the weakest first: a member is taken from the last layer that sets it.
var layerOrder = map[policy.Level]int{
	policy.LevelBuiltin:   0,
	policy.LevelProfile:   1,
	policy.LevelDeclared:  2,
	policy.LevelDocument:  3,
	policy.LevelPathItem:  4,
	policy.LevelOperation: 5,
}

// authored reports whether a level is x-idempotency itself, somewhere in the document or its overlays.
func authored(level policy.Level) bool { return layerOrder[level] >= layerOrder[policy.LevelDocument] }

// builtinProfile reads a profile that is built in by the same grammar that reads a document. Each is read once.
func builtinProfile(name string) (contract, error) {
	cached, ok := profileCache.Load(name)
	if !ok {
		cached, _ = profileCache.LoadOrStore(name, sync.OnceValues(func() (contract, error) { return readProfileData(name) }))
	}
	return cached.(func() (contract, error))()
}

var profileCache sync.Map // name -> func() (contract, error)

const builtin = ""

func readProfileData(name string) (contract, error) {
	load := policy.Builtin
	if name != builtin {
		load = func() (*policy.Profile, error) { return policy.LoadProfile(name) }
	}
	profile, err := load()
	if err != nil {
		return contract{}, err
	}
	set := settings{}
	for _, value := range profile.Values {
		if err := readProfileValue(value, set); err != nil {
			return contract{}, fmt.Errorf("profile %s: %w", profile.Name, err)
		}
	}
	return contract{profile, set}, nil
}

func readProfileValue(value policy.ProfileValue, into settings) error {
	m, ok := findMember(value.Member)
	if !ok {
		return fmt.Errorf("x-idempotency has no member %s", value.Member)
	}
	if value.Value == nil {
		return nil
	}
	var node yaml.Node
	if err := yaml.Unmarshal(value.Value, &node); err != nil {
		return fmt.Errorf("%s: %w", value.Member, err)
	}
	r := &reader{}
	apply, ok := m.read(r, r.resolve(&node), m.path)
	if !ok {
		return fmt.Errorf("%s: %w", value.Member, r.diags)
	}
	into[m.path] = setting{apply: apply}
	return nil
}

// detach gives a policy lists of its own. A layer is shared by many operations, and a profile by every document that is
// read: what one of them does with its policy must not reach the others.
func detach(p *policy.Policy) {
	p.Scope = slices.Clone(p.Scope)
	p.Fingerprint.Include = slices.Clone(p.Fingerprint.Include)
	p.Fingerprint.Exclude = slices.Clone(p.Fingerprint.Exclude)
	p.Fingerprint.Headers = slices.Clone(p.Fingerprint.Headers)
	p.Store.Statuses = slices.Clone(p.Store.Statuses)
	p.Store.Headers = slices.Clone(p.Store.Headers)
	p.Replay.Status = slices.Clone(p.Replay.Status)
	p.Steps = slices.Clone(p.Steps)
	p.Downstream = slices.Clone(p.Downstream)
	p.Answers.Headers = slices.Clone(p.Answers.Headers)
	p.Guards = slices.Clone(p.Guards)
	for i := range p.Guards {
		p.Guards[i].Columns = slices.Clone(p.Guards[i].Columns)
	}
	for _, answer := range answerNames {
		a := answer.place(p)
		a.Headers = slices.Clone(a.Headers)
	}
}
