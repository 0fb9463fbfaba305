package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator/config"
	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/spec"
	"github.com/idemgen/idemgen/runtime/policy"
)

const profilesLong = `Profiles are contracts that x-idempotency can start from: what a provider or a specification
documents of retries, value by value, each with the place it was read at and the month. An
operation, a path or the whole document names one, and states what it does otherwise:

  x-idempotency: {profile: adyen, retention: P31D}

Without a name the profiles are listed; with one, its values are shown. "not documented"
says that nothing was found in what was read; idemgen's own value then holds, and stands in
parentheses.

A profile of your own is a file of the same form: docs/profiles.md in idemgen's repository
has an example. Name it under profiles in idemgen.yaml, which is read where there is one, or
with --profile-file.

Exit codes: 0 printed; 1 errors in a profile's file; 2 usage, or a file that cannot be read.`

const profilesExample = `  idemgen profiles
  idemgen profiles adyen
  idemgen profiles house --profile-file profiles/house.json`

func newProfiles(s *session) *cobra.Command {
	var flags projectFlags
	cmd := &cobra.Command{
		Use:     "profiles [NAME]",
		Short:   "Show the contracts that a policy can start from",
		Long:    profilesLong,
		Example: profilesExample,
		Args:    oneProfile,
		RunE:    func(_ *cobra.Command, args []string) error { return s.profiles(&flags, args) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return policy.ProfileNames(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().StringVar(&flags.config, "config", "", "configuration `file` whose profiles are known too (default "+config.FileName+", if there is one)")
	cmd.Flags().StringArrayVar(&flags.profiles, "profile-file", nil, "`file` with a profile of your own, in place of the configuration's; repeat for more")
	must(cmd.MarkFlagFilename("config", "yaml", "yml", "json"))
	must(cmd.MarkFlagFilename("profile-file", "json", "yaml", "yml"))
	return cmd
}

func oneProfile(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("profiles takes one name, and here are %d", len(args))
	}
	return nil
}

func (s *session) profiles(flags *projectFlags, args []string) error {
	s.resultOnStdout = true
	files, err := s.ownProfiles(flags)
	if err != nil {
		return err
	}
	profiles, err := s.knownProfiles(files)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return s.listProfiles(profiles)
	}
	names := make([]string, len(profiles))
	for i, profile := range profiles {
		if profile.Name == args[0] {
			return s.showProfile(profile)
		}
		names[i] = profile.Name
	}
	hint := "; known are " + strings.Join(names, ", ")
	if near := diag.Nearest(args[0], names); near != "" {
		hint = "; did you mean " + near + "?"
	}
	return fmt.Errorf("there is no profile %q%s", args[0], hint)
}

// ownProfiles are the user's files, as seen from the working directory: those that flags name, else the configuration's.
func (s *session) ownProfiles(flags *projectFlags) ([]string, error) {
	if len(flags.profiles) > 0 {
		files := make([]string, len(flags.profiles))
		for i, file := range flags.profiles {
			files[i] = filepath.ToSlash(file)
		}
		return files, nil
	}
	if _, err := os.Stat(config.FileName); flags.config == "" && errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	p, err := flags.open(s)
	if err != nil {
		return nil, err
	}
	files := slices.Clone(p.config.Profiles)
	for i, file := range files {
		if !filepath.IsAbs(filepath.FromSlash(file)) {
			files[i] = path.Join(filepath.ToSlash(p.dir), file)
		}
	}
	return files, nil
}

// knownProfiles are those that are built in and those of the files, sorted by name.
func (s *session) knownProfiles(files []string) ([]*policy.Profile, error) {
	profiles, found, err := spec.LoadProfiles(files...)
	if err != nil {
		return nil, err
	}
	s.report(found)
	if found.Err() != nil {
		return nil, errors.Join(errNo, s.outcome(outcome{Findings: findings(found), Files: []touched{}}))
	}
	for _, name := range policy.ProfileNames() {
		profile, err := policy.LoadProfile(name)
		if err != nil {
			return nil, err
		}
		profiles = append(profiles, profile)
	}
	slices.SortFunc(profiles, func(a, b *policy.Profile) int { return strings.Compare(a.Name, b.Name) })
	return profiles, nil
}

func (s *session) listProfiles(profiles []*policy.Profile) error {
	if s.format == "json" {
		list := make([]profileJSON, len(profiles))
		for i, profile := range profiles {
			list[i] = newProfileJSON(profile)
			list[i].Members = nil
		}
		return s.printJSON(struct {
			Version  int           `json:"version"`
			Profiles []profileJSON `json:"profiles"`
		}{1, list})
	}
	rows := [][]string{{"PROFILE", "KEY", "KEPT FOR", "CONTRACT"}}
	for _, profile := range profiles {
		rows = append(rows, []string{profile.Name, keyOf(profile), valueText(profile, "retention"), visible(profile.Title, keepNothing)})
	}
	s.printTable(rows)
	return nil
}

// keyOf says where a profile's key is: header Idempotency-Key.
func keyOf(profile *policy.Profile) string {
	where := valueText(profile, "key.in")
	member := "key.name"
	if where == "body" {
		member = "key.pointer"
	}
	return strings.TrimSpace(where + " " + valueText(profile, member))
}

// valueText is a value without the quotes of JSON, empty where there is none.
func valueText(profile *policy.Profile, member string) string {
	value, _ := profile.Find(member)
	var text string
	if json.Unmarshal(value.Value, &text) != nil {
		text = string(value.Value)
	}
	return visible(text, keepNothing)
}

func (s *session) showProfile(profile *policy.Profile) error {
	if s.format == "json" {
		return s.printJSON(struct {
			Version int         `json:"version"`
			Profile profileJSON `json:"profile"`
		}{1, newProfileJSON(profile)})
	}
	builtin, err := policy.Builtin()
	if err != nil {
		return err
	}
	colour := s.colourOn(s.stdout)
	fmt.Fprintln(s.stdout, paint(colour, bold, visible(profile.Title, keepNothing)))
	if profile.URL != "" {
		fmt.Fprintln(s.stdout, visible(profile.URL, keepNothing))
	}
	for _, value := range profile.Values {
		shown := string(value.Value)
		if value.Value == nil {
			shown = "-"
			if own, ok := builtin.Find(value.Member); ok {
				shown = "(" + string(own.Value) + ")"
			}
		}
		fmt.Fprintf(s.stdout, "\n%s: %s\n", paint(colour, bold, value.Member), visible(shown, keepNothing))
		fmt.Fprintf(s.stdout, "    %s\n", paint(colour, dim, visible(basisText(value), keepNothing)))
	}
	return nil
}

// basisText says what a value rests on.
func basisText(value policy.ProfileValue) string {
	words := map[policy.Basis]string{
		policy.Published: "published", policy.ThirdParty: "by a third party", policy.ProjectChoice: "chosen for the profile", policy.NotFound: "not documented",
	}
	text := words[value.Basis]
	if value.Read != "" {
		text += ", read " + value.Read
	}
	if value.Source != "" {
		text += ": " + value.Source
	}
	return text
}

// profileJSON is a profile for programs.
type profileJSON struct {
	Name    string            `json:"name"`
	Title   string            `json:"title"`
	URL     string            `json:"url,omitempty"`
	BuiltIn bool              `json:"builtIn"`
	Members []profileValueOut `json:"members,omitempty"`
}

type profileValueOut struct {
	Member string          `json:"member"`
	Value  json.RawMessage `json:"value"` // null where nothing was found
	Basis  policy.Basis    `json:"basis"`
	Source string          `json:"source,omitempty"`
	Read   string          `json:"read,omitempty"`
}

func newProfileJSON(profile *policy.Profile) profileJSON {
	out := profileJSON{Name: profile.Name, Title: profile.Title, URL: profile.URL, BuiltIn: slices.Contains(policy.ProfileNames(), profile.Name)}
	for _, value := range profile.Values {
		out.Members = append(out.Members, profileValueOut(value))
	}
	return out
}

func (s *session) printJSON(value any) error {
	encoder := json.NewEncoder(s.stdout)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}
