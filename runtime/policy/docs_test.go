package policy_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/runtime/policy"
)

var updateDocs = flag.Bool("update", false, "rewrite the tables of profiles in docs/profiles.md")

// The tables of profiles on their page are the data.
func TestProfiles_AreDocumented_P1(t *testing.T) {
	const page, start, end = "../../docs/profiles.md", "<!-- profiles: start -->\n", "<!-- profiles: end -->\n"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), start)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has lost the marks around its tables of profiles", page)
	}
	want := before + start + profileTables(t) + end + after
	if want == string(text) {
		return
	}
	if !*updateDocs {
		t.Fatalf("%s does not show the profiles as they are: go test ./runtime/policy -update", page)
	}
	if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// column is a column of a table: what it shows of a profile.
type column struct {
	title   string
	members []string
}

// profileTables are the profiles side by side, a table for each question.
func profileTables(t *testing.T) string {
	t.Helper()
	builtin, err := policy.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	table := func(heading string, columns ...column) {
		fmt.Fprintf(&text, "\n### %s\n\n| profile |", heading)
		for _, c := range columns {
			fmt.Fprintf(&text, " %s |", c.title)
		}
		text.WriteString("\n|---" + strings.Repeat("|---", len(columns)) + "|\n")
		for _, name := range policy.ProfileNames() {
			profile, err := policy.LoadProfile(name)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&text, "| `%s` |", name)
			for _, c := range columns {
				var cells []string
				for _, member := range c.members {
					if cell := profileCell(profile, builtin, member); cell != "" {
						cells = append(cells, cell)
					}
				}
				between := " "
				if c.title == "length" {
					between = " to "
				}
				fmt.Fprintf(&text, " %s |", strings.Join(cells, between))
			}
			text.WriteString("\n")
		}
	}
	text.WriteString("\n| profile | contract |\n|---|---|\n")
	for _, name := range policy.ProfileNames() {
		profile, err := policy.LoadProfile(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "| `%s` | [%s](%s) |\n", name, profile.Title, profile.URL)
	}
	table("The key", column{"where", []string{"key.in", "key.name", "key.pointer"}}, column{"required", []string{"key.required"}}, column{"format", []string{"key.format", "key.pattern"}},
		column{"length", []string{"key.minLength", "key.maxLength"}}, column{"in", []string{"key.lengthUnit"}}, column{"counts for", []string{"scope"}}, column{"first sent", []string{"key.firstSent.header"}})
	table("How long, and for which request", column{"kept for", []string{"retention"}}, column{"body compared", []string{"fingerprint.body"}}, column{"query compared", []string{"fingerprint.query"}},
		column{"answers kept", []string{"store.statuses"}})
	table("A repetition", column{"gets the answer", []string{"replay.as"}}, column{"status", []string{"replay.status"}}, column{"marker", []string{"replay.header"}}, column{"on all answers", []string{"answers.headers"}},
		column{"at work", []string{"inFlight.answer"}}, column{"Retry-After", []string{"inFlight.retryAfter"}})
	answer := func(name string) []string {
		return []string{"errors." + name + ".status", "errors." + name + ".type", "errors." + name + ".code", "errors." + name + ".headers"}
	}
	table("Refusals", column{"no key", answer("missing")}, column{"malformed", answer("malformed")}, column{"another request", answer("mismatch")}, column{"at work", answer("inFlight")},
		column{"keys cannot be checked", answer("unavailable")}, column{"first sent too long ago", answer("expired")}, column{"form", []string{"errors.shape"}})
	text.WriteString("\n")
	return text.String()
}

// profileCell is a value with the mark of what it rests on, empty where the profile says nothing of the member.
func profileCell(profile, builtin *policy.Profile, member string) string {
	value, ok := profile.Find(member)
	if !ok {
		return ""
	}
	switch value.Basis {
	case policy.NotFound:
		own, ok := builtin.Find(member)
		if !ok {
			return "*none*"
		}
		return "*" + shown(own.Value) + "*"
	case policy.ThirdParty:
		return shown(value.Value) + "†"
	case policy.ProjectChoice:
		return shown(value.Value) + "‡"
	default:
		return shown(value.Value)
	}
}

// shown is a value as a table shows it.
func shown(value json.RawMessage) string {
	var decoded any
	if json.Unmarshal(value, &decoded) != nil {
		return string(value)
	}
	switch v := decoded.(type) {
	case string:
		return asCode(v)
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case []any:
		words := make([]string, len(v))
		for i, item := range v {
			words[i] = fmt.Sprint(item)
		}
		return shorten(words)
	case map[string]any:
		var words []string
		for name, value := range v {
			words = append(words, asCode(fmt.Sprintf("%s: %v", name, value)))
		}
		slices.Sort(words)
		return strings.Join(words, ", ")
	default:
		return fmt.Sprint(v)
	}
}

// asCode keeps a value from breaking out of its cell.
func asCode(text string) string { return "`" + strings.ReplaceAll(text, "|", `\|`) + "`" }

// shorten writes a long list of codes by its class and what the class lacks.
func shorten(words []string) string {
	codes := slices.DeleteFunc(slices.Clone(words), func(word string) bool { return len(word) != 3 || word[0] != '4' || word[1] > '9' })
	if len(codes) < 10 {
		return asCode(strings.Join(words, " "))
	}
	all := strings.Fields("400 401 402 403 404 405 406 407 408 409 410 411 412 413 414 415 416 417 421 422 423 424 425 426 428 429 431 451")
	lacking := slices.DeleteFunc(all, func(code string) bool { return slices.Contains(codes, code) })
	rest := slices.DeleteFunc(slices.Clone(words), func(word string) bool { return slices.Contains(codes, word) })
	return asCode(strings.Join(rest, " ")) + " and 4xx but " + strings.Join(lacking, ", ")
}
