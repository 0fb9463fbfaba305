package spec

import (
	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/runtime/policy"
)

// LoadProfiles reads files that each hold a profile, JSON or YAML, in the form of those that are built in. Its error and its
// findings are as [Load]'s; profiles are in the order of the files, and whole only when [diag.List.Err] is nil.
func LoadProfiles(files ...string) ([]*policy.Profile, diag.List, error) {
	src := newSources()
	defer src.close()
	l := &loading{options: Options{Profiles: files}, src: src, rep: &reporter{src: src}}
	profiles, err := l.ownProfiles()
	return profiles, l.rep.finished(), err
}

// readProfiles makes the profiles of the user's own files known to the document.
func (l *loading) readProfiles() error {
	_, err := l.ownProfiles()
	return err
}

func (l *loading) ownProfiles() ([]*policy.Profile, error) {
	var profiles []*policy.Profile
	for _, file := range l.options.Profiles {
		f, err := l.src.openProfile(file)
		if err != nil {
			return nil, err
		}
		if failure := f.parse(); failure != nil {
			l.rep.syntax(f, failure)
			continue
		}
		profile, found := l.profiles.Add(f.root, l.src.at, rawJSON)
		l.rep.list = append(l.rep.list, found...)
		if profile != nil {
			profiles = append(profiles, profile)
		}
	}
	return profiles, nil
}
