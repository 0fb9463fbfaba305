package policy

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// profileFiles holds one file per profile; adding a profile is adding a file. builtin.json is not a profile: it holds the
// project's own value for every member, which any profile is laid over.
//
//go:embed profiles/*.json
var profileFiles embed.FS

const builtinProfile = "builtin"

// DefaultProfile is the profile of a document that names none.
const DefaultProfile = "ietf"

// ErrUnknownProfile is wrapped by the error that [LoadProfile] returns for a name it has no data for.
var ErrUnknownProfile = errors.New("unknown profile")

// Profile is one provider's, one specification's or one house's contract as data: starting values for the members of x-idempotency,
// each with the place it was read at.
type Profile struct {
	// Name is what `profile:` says; Title is the provider's or the specification's own name.
	Name, Title string
	// URL is the page that documents the contract.
	URL string
	// Values are sorted by Member.
	Values []ProfileValue
}

// ProfileValue is one member's starting value, or the statement that the provider documents none.
type ProfileValue struct {
	// Member is the dotted path of the member within x-idempotency, as in [Origin]: "key.maxLength".
	Member string
	// Value is the member as JSON, in the form that x-idempotency takes. It is nil when the provider documents nothing:
	// the project's own default then holds, and a page prints "not documented by the provider".
	Value json.RawMessage
	// Basis says how far the value can be relied on.
	Basis Basis
	// Source is the page or document, Read the month it was read in, as YYYY-MM.
	Source, Read string
}

// Basis is what a profile's value rests on.
type Basis string

// The bases.
const (
	// Published: the provider's or the specification's own text.
	Published Basis = "published"
	// ThirdParty: a copy, a quotation or a client of somebody else. Check it before relying on it.
	ThirdParty Basis = "third-party"
	// ProjectChoice: idemgen's own choice, or that of the file's author; Source says why.
	ProjectChoice Basis = "project"
	// NotFound: nothing was found in what was read. The provider may have a rule all the same.
	NotFound Basis = "not-found"
)

// Documented reports whether the provider or the specification itself, or a third party for it, says the value.
func (v ProfileValue) Documented() bool { return v.Basis == Published || v.Basis == ThirdParty }

// Find returns the value that p holds for member.
func (p *Profile) Find(member string) (ProfileValue, bool) {
	i, found := slices.BinarySearchFunc(p.Values, member, func(v ProfileValue, m string) int {
		return strings.Compare(v.Member, m)
	})
	if !found {
		return ProfileValue{}, false
	}
	return p.Values[i], true
}

// ProfileNames returns the names that [LoadProfile] knows, sorted.
func ProfileNames() []string {
	entries, err := profileFiles.ReadDir("profiles")
	if err != nil {
		return nil // the folder is compiled in
	}
	var names []string
	for _, entry := range entries {
		if name := strings.TrimSuffix(entry.Name(), ".json"); name != builtinProfile {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// LoadProfile reads a profile. An error that wraps [ErrUnknownProfile] lists the names that are known.
func LoadProfile(name string) (*Profile, error) {
	names := ProfileNames()
	if !slices.Contains(names, name) {
		return nil, fmt.Errorf("%w %q: known are %s", ErrUnknownProfile, name, strings.Join(names, ", "))
	}
	return readProfile(name)
}

// Builtin returns idemgen's own defaults: a value, or none on purpose, for every member of x-idempotency.
func Builtin() (*Profile, error) { return readProfile(builtinProfile) }

func readProfile(name string) (*Profile, error) {
	data, err := profileFiles.ReadFile(path.Join("profiles", name+".json"))
	if err != nil {
		return nil, fmt.Errorf("profile %s: %w", name, err)
	}
	profile, err := parseProfile(data)
	if err != nil {
		return nil, fmt.Errorf("profile %s: %w", name, err)
	}
	if profile.Name != name {
		return nil, fmt.Errorf("profile %s: the file calls itself %q", name, profile.Name)
	}
	return profile, nil
}

// profileFile is the form of a profile's file.
type profileFile struct {
	Name    string                  `json:"name"`
	Title   string                  `json:"title"`
	URL     string                  `json:"url"`
	Members map[string]profileEntry `json:"members"`
}

type profileEntry struct {
	Value  json.RawMessage `json:"value"`
	Basis  Basis           `json:"basis"`
	Source string          `json:"source"`
	Read   string          `json:"read"`
}

func parseProfile(data []byte) (*Profile, error) {
	var file profileFile
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&file); err != nil {
		return nil, err
	}
	profile := &Profile{Name: file.Name, Title: file.Title, URL: file.URL}
	for member, entry := range file.Members {
		value := ProfileValue{Member: member, Value: entry.Value, Basis: entry.Basis, Source: entry.Source, Read: entry.Read}
		if string(entry.Value) == "null" {
			value.Value = nil
		}
		if err := value.Check(); err != nil {
			return nil, fmt.Errorf("%s: %w", member, err)
		}
		profile.Values = append(profile.Values, value)
	}
	slices.SortFunc(profile.Values, func(a, b ProfileValue) int { return strings.Compare(a.Member, b.Member) })
	return profile, nil
}

// Check reports what is wrong with a value. None that is said to be another's stands without its source.
func (v ProfileValue) Check() error {
	switch v.Basis {
	case Published, ThirdParty, ProjectChoice:
		if v.Value == nil {
			return errors.New("a value is missing; a member that was not found has the basis not-found")
		}
	case NotFound:
		if v.Value != nil {
			return errors.New("a member that was not found has no value")
		}
	default:
		return fmt.Errorf("unknown basis %q", v.Basis)
	}
	if v.Basis != ProjectChoice && (v.Source == "" || v.Read == "") {
		return errors.New("source and read are required")
	}
	return nil
}
