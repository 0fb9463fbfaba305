package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

type action struct {
	Inputs map[string]struct{ Default string }
	Runs   struct {
		Using string
		Steps []struct {
			Name, Shell, Run string
			Dir              string `yaml:"working-directory"`
			Env              map[string]string
		}
	}
}

func decode(t *testing.T, file string, into any) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", file))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(content, into); err != nil {
		t.Fatal(err)
	}
}

var expression = regexp.MustCompile(`\$\{\{ *([a-z_.-]+) *\}\}`)

// run does what GitHub does with the steps of a composite action.
func (a action) run(t *testing.T, workspace string, inputs map[string]string) (string, error) {
	t.Helper()
	repository, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{"github.action_path": repository}
	for name, input := range a.Inputs {
		values["inputs."+name] = input.Default
	}
	for name, value := range inputs {
		values["inputs."+name] = value
	}
	expand := func(text string) string {
		return expression.ReplaceAllStringFunc(text, func(e string) string {
			value, known := values[expression.FindStringSubmatch(e)[1]]
			if !known {
				t.Errorf("%s is unknown", e)
			}
			return value
		})
	}
	var out bytes.Buffer
	temporary := t.TempDir()
	for _, step := range a.Runs.Steps {
		if expression.MatchString(step.Run) {
			t.Errorf("step %q runs what an input says", step.Name)
		}
		cmd := exec.Command(step.Shell, "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run)
		cmd.Dir = workspace
		if dir := expand(step.Dir); filepath.IsAbs(dir) {
			cmd.Dir = dir
		} else {
			cmd.Dir = filepath.Join(workspace, dir)
		}
		cmd.Env = append(os.Environ(), "RUNNER_TEMP="+temporary, "GITHUB_WORKSPACE="+workspace)
		for name, value := range step.Env {
			cmd.Env = append(cmd.Env, name+"="+expand(value))
		}
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Run(); err != nil {
			return out.String(), err
		}
	}
	return out.String(), nil
}

func TestAction(t *testing.T) {
	var a action
	decode(t, "action.yml", &a)
	workspace := t.TempDir()
	module := filepath.Join(workspace, "service")
	if err := os.Mkdir(module, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.24\n",
		"a.go":   "package m\n\nvar a int //idemvet:ignore retrykey a reason\n",
	} {
		if err := os.WriteFile(filepath.Join(module, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	out, err := a.run(t, workspace, map[string]string{"working-directory": "service"})
	if err == nil || !strings.Contains(out, "::warning file=a.go,line=3,col=11,title=idemvet retrykey::retrykey has nothing to report") {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := a.run(t, workspace, map[string]string{"working-directory": "service", "flags": "-keytx -weakkey", "packages": ". ./..."}); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := a.run(t, workspace, map[string]string{"working-directory": "service", "sarif": "out.sarif"}); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	content, err := os.ReadFile(filepath.Join(workspace, "out.sarif"))
	if err != nil || !json.Valid(content) {
		t.Errorf("%v\n%s", err, content)
	}
	// An input is text, whatever it holds.
	if _, err := a.run(t, workspace, map[string]string{"working-directory": "service", "packages": "$(touch hurt) ; touch hurt"}); err == nil {
		t.Error("an input that is no pattern was accepted")
	}
	if hurt, _ := filepath.Glob(filepath.Join(workspace, "*", "hurt")); hurt != nil {
		t.Error("an input was run")
	}
}

func TestPreCommitHook(t *testing.T) {
	var hooks []struct {
		ID, Language, Entry string
		Args                []string
		PassFilenames       bool `yaml:"pass_filenames"`
	}
	decode(t, ".pre-commit-hooks.yaml", &hooks)
	if len(hooks) != 1 || hooks[0].ID != "idemvet" || hooks[0].Language != "golang" || hooks[0].Entry != "idemvet" || !slices.Equal(hooks[0].Args, []string{"./..."}) || hooks[0].PassFilenames {
		t.Errorf("%+v", hooks)
	}
}
