package extension

import (
	stdjson "encoding/json"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/runtime/policy"
)

// Profiles are what `profile:` can name: the profiles that are built in, and those of files that the user brings. A nil
// value is the former alone.
type Profiles struct {
	own map[string]contract
}

// contract is a profile and its values as a layer.
type contract struct {
	profile  *policy.Profile
	settings settings
}

// Names returns every name that is known, sorted.
func (p *Profiles) Names() []string {
	names := policy.ProfileNames()
	if p != nil {
		for name := range p.own {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (p *Profiles) find(name string) (contract, error) {
	if p != nil {
		if own, ok := p.own[name]; ok {
			return own, nil
		}
	}
	return builtinProfile(name)
}

// Add reads a profile's file: node is its root, at says where its nodes stand, and encode writes one as JSON. The profile is
// known from then on, with what can be read of it. It is nil where the file does not even give it a name.
func (p *Profiles) Add(node *yaml.Node, at Locator, encode func(*yaml.Node) stdjson.RawMessage) (*policy.Profile, diag.List) {
	f := &profileFile{reader: &reader{at: at}, encode: encode, profile: &policy.Profile{}, settings: settings{}}
	f.outer = f.position(node)
	f.read(f.resolve(node), p)
	profile := f.profile
	if profile.Name == "" {
		return nil, f.diags
	}
	slices.SortFunc(profile.Values, func(a, b policy.ProfileValue) int { return strings.Compare(a.Member, b.Member) })
	if p.own == nil {
		p.own = map[string]contract{}
	}
	p.own[profile.Name] = contract{profile, f.settings}
	return profile, f.diags
}

// profileFile is a profile's file while it is read.
type profileFile struct {
	*reader
	encode   func(*yaml.Node) stdjson.RawMessage
	profile  *policy.Profile
	settings settings
}

var (
	profileName  = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)
	profileMonth = regexp.MustCompile(`^[0-9]{4}-(0[1-9]|1[0-2])$`)

	profileMembers = []string{"name", "title", "url", "members"}
	valueMembers   = []string{"value", "basis", "source", "read"}
	bases          = []policy.Basis{policy.Published, policy.ThirdParty, policy.ProjectChoice, policy.NotFound}
)

func (f *profileFile) read(node *yaml.Node, known *Profiles) {
	fields, ok := f.objectIn(node, "a profile's file")
	if !ok {
		return
	}
	for _, m := range fields {
		switch m.name {
		case "name":
			f.profile.Name = f.readName(m.value, known)
		case "title":
			f.profile.Title, _ = f.line(m.value, "title")
		case "url":
			f.profile.URL = f.readURL(m)
		case "members":
			f.readValues(m.value)
		default:
			f.unknown(m, "a profile's file", profileMembers)
		}
	}
	if !hasField(fields, "name") {
		f.report(ruleProfileFile, node, "write \"name\": \"house\"", "the profile has no name")
	}
	if f.profile.Title == "" {
		f.profile.Title = f.profile.Name
	}
}

func (f *profileFile) readName(node *yaml.Node, known *Profiles) string {
	name, ok := f.text(node, "name")
	switch {
	case !ok:
		return ""
	case !profileName.MatchString(name):
		f.report(ruleProfileFile, node, "start with a letter or digit; small letters, digits and - follow, 63 at most", "name %s is not a profile's name", show(name))
		return ""
	case slices.Contains(policy.ProfileNames(), name):
		f.report(ruleProfileFile, node, "give it a name of your own, such as \"house-"+name+"\"", "name %s is that of a built-in profile", show(name))
		return ""
	case slices.Contains(known.Names(), name):
		f.report(ruleProfileFile, node, "give each its own name", "name %s is that of another file's profile", show(name))
		return ""
	}
	return name
}

func (f *profileFile) readValues(node *yaml.Node) {
	fields, ok := f.objectIn(node, "members")
	if !ok {
		return
	}
	for _, m := range fields {
		leaf, ok := findMember(m.name)
		if !ok {
			f.unknown(m, "x-idempotency", grammarPaths())
			continue
		}
		f.readValue(leaf, m)
	}
}

// readValue reads what a profile says of one member. Without a basis the value is the author's own choice.
func (f *profileFile) readValue(leaf member, entry field) {
	fields, ok := f.objectIn(entry.value, leaf.path)
	if !ok {
		return
	}
	value := policy.ProfileValue{Member: leaf.path, Basis: policy.ProjectChoice}
	var given *yaml.Node
	for _, m := range fields {
		var good bool
		switch m.name {
		case "value":
			given, good = m.value, true
		case "basis":
			value.Basis, good = oneOf(bases...)(f.reader, m.value, leaf.path+".basis")
		case "source":
			value.Source, good = f.line(m.value, leaf.path+".source")
		case "read":
			value.Read, good = f.readMonth(m.value, leaf.path+".read")
		default:
			f.unknown(m, leaf.path, valueMembers)
		}
		ok = ok && good
	}
	empty := given == nil || given.ShortTag() == "!!null"
	if !empty {
		before := len(f.diags)
		f.readMember(leaf, field{name: entry.name, key: entry.key, value: given}, f.settings)
		ok = ok && len(f.diags) == before
		value.Value = f.encode(given)
	}
	if !ok {
		return
	}
	if err := value.Check(); err != nil {
		f.report(ruleProfileFile, entry.key, `write {"value": ..., "basis": "published", "source": "where it is documented", "read": "2026-11"}, or the value alone for a choice of your own`, "%s: %v", leaf.path, err)
		return
	}
	f.profile.Values = append(f.profile.Values, value)
}

func (f *profileFile) readMonth(node *yaml.Node, name string) (string, bool) {
	text, ok := f.text(node, name)
	if ok && !profileMonth.MatchString(text) {
		f.report(ruleProfileFile, node, `write the month in which the source was read: "2026-11"`, "%s is %s, which is no month", name, show(text))
		return "", false
	}
	return text, ok
}

// grammarPaths are the members that a profile can have.
func grammarPaths() []string {
	paths := make([]string, len(grammar))
	for i, m := range grammar {
		paths[i] = m.path
	}
	return paths
}
