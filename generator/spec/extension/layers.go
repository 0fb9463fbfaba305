package extension

import (
	"fmt"
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

// profileSettings reads a profile's values by the same grammar that reads a document's. Each profile is read once.
func profileSettings(name string) (settings, error) {
	cached, ok := profileCache.Load(name)
	if !ok {
		cached, _ = profileCache.LoadOrStore(name, sync.OnceValues(func() (settings, error) { return readProfileData(name) }))
	}
	return cached.(func() (settings, error))()
}

var profileCache sync.Map // name -> func() (settings, error)

const builtin = ""

func readProfileData(name string) (settings, error) {
	load := policy.Builtin
	if name != builtin {
		load = func() (*policy.Profile, error) { return policy.LoadProfile(name) }
	}
	profile, err := load()
	if err != nil {
		return nil, err
	}
	set := settings{}
	for _, value := range profile.Values {
		if err := readProfileValue(value, set); err != nil {
			return nil, fmt.Errorf("profile %s: %w", profile.Name, err)
		}
	}
	return set, nil
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
