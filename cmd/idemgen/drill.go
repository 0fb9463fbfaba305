package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator/drill"
	"github.com/idemgen/idemgen/generator/policydoc"
	"github.com/idemgen/idemgen/runtime/policy"
)

const drillLong = `Drill tests a published policy against a running server, in any language, over plain HTTP.
It reads the JSON policy that generate writes (docs.json in idemgen.yaml), sends what
retries send in practice, and says of each promise whether it is kept, broken, or cannot
be tested from outside. docs/drill.md says how each promise is tested.

The work of each operation is really done, a few times: the run says at most how often
before it starts. So only this machine is drilled, unless --sandbox says that the address
is a sandbox.

Requests are the policy's examples. Where those are not enough (an id that has to exist,
a body that the server does not take), --path and --body give others.

Exit codes: 0 no promise is broken; 1 one is, or with --fail-on untested was not tested; 2 the drill could not be run, or was stopped.`

const drillExample = `  idemgen drill --policy docs/idempotency-policy.json --url http://localhost:8080 \
    --header 'Authorization: Bearer token-1' \
    --other-header 'Authorization: Bearer token-2'
  idemgen drill --policy policy.json --url https://sandbox.example.com/v1 --sandbox \
    --header-env Authorization=API_AUTHORIZATION --operations createPayment --format junit > drill.xml`

type drillFlags struct {
	policy, url                    string
	safe, sandbox                  bool
	headers, otherHeaders          []string
	environment, otherEnvironment  []string
	bodies, declined, paths        []string
	operations, promises, failOn   []string
	concurrency                    []int
	after, timeout, settle, atMost time.Duration
	clock                          string
}

func newDrill(s *session) *cobra.Command {
	var flags drillFlags
	cmd := &cobra.Command{
		Use:         "drill",
		Short:       "Test a published policy against a running server",
		Long:        drillLong,
		Example:     drillExample,
		Args:        noArguments,
		Annotations: map[string]string{moreFormats: "junit"},
		RunE:        func(cmd *cobra.Command, _ []string) error { return s.drill(cmd.Context(), &flags) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.policy, "policy", "", "JSON policy `file`")
	f.StringVar(&flags.url, "url", "", "`address` of the server, with what stands before every path of the policy")
	f.BoolVar(&flags.safe, "safe", true, "drill this machine only, unless --sandbox is given")
	f.BoolVar(&flags.sandbox, "sandbox", false, "the address is a sandbox, where effects do no harm")
	f.StringArrayVar(&flags.headers, "header", nil, "`'Name: value'` sent with every request, such as credentials; may be repeated")
	f.StringArrayVar(&flags.otherHeaders, "other-header", nil, "`'Name: value'` of a second account; may be repeated")
	f.StringArrayVar(&flags.environment, "header-env", nil, "`NAME=VARIABLE`: a header whose value an environment variable has; may be repeated")
	f.StringArrayVar(&flags.otherEnvironment, "other-header-env", nil, "`NAME=VARIABLE`: the same for the second account")
	f.StringArrayVar(&flags.bodies, "body", nil, "`OPERATION=FILE`: a body in place of the policy's example; may be repeated")
	f.StringArrayVar(&flags.declined, "declined", nil, "`OPERATION=FILE`: a body that the server reads and then refuses, such as one with a declined card; may be repeated")
	f.StringArrayVar(&flags.paths, "path", nil, "`OPERATION=/PATH`: path and query in place of the example's; may be repeated")
	f.StringSliceVar(&flags.operations, "operations", nil, "drill these `operations` only, by their ids")
	f.StringSliceVar(&flags.promises, "promises", nil, "test these `promises` only, by their ids")
	f.StringSliceVar(&flags.failOn, "fail-on", nil, "`untested`: end with 1 also where a chosen promise that can be tested was not")
	must(cmd.RegisterFlagCompletionFunc("fail-on", cobra.FixedCompletions([]string{"untested"}, cobra.ShellCompDirectiveNoFileComp)))
	f.IntSliceVar(&flags.concurrency, "concurrency", []int{50}, "how many equal requests at once, as a list of `numbers`; each further one takes one more effect")
	f.DurationVar(&flags.after, "after", 0, "wait up to this `duration` for keys to be forgotten")
	f.StringVar(&flags.clock, "clock", "", "`command or URL` that sets the server's clock forward: run with the seconds as its last argument, or sent as a POST with ?seconds=N")
	f.DurationVar(&flags.timeout, "timeout", 30*time.Second, "longest `duration` of one request")
	f.DurationVar(&flags.settle, "settle", 10*time.Second, "how long work in progress is waited for, as a `duration`")
	f.DurationVar(&flags.atMost, "at-most", 10*time.Minute, "longest `duration` of the drill, beside --after")
	must(cmd.MarkFlagRequired("policy"))
	must(cmd.MarkFlagRequired("url"))
	must(cmd.MarkFlagFilename("policy", "json"))
	return cmd
}

func (s *session) drill(ctx context.Context, flags *drillFlags) error {
	plan, err := flags.plan(s)
	if err != nil {
		return err
	}
	printer := &drillPrinter{out: s.stdout, colour: s.colourOn(s.stdout), line: s.newProgress()}
	if s.format == "text" {
		plan.Observer = printer.event
	}
	fmt.Fprintf(s.stderr, "The work is done at most %s at %s.\n", times(plan.MaxEffects()), visible(plan.BaseURL, keepNothing))
	report, err := drill.Run(ctx, *plan)
	printer.line.end()
	if err != nil {
		return err
	}
	switch s.format {
	case "json":
		err = writeRecordJSON(s.stdout, report)
	case "junit":
		err = report.WriteJUnit(s.stdout)
	case "github":
		drillGitHub(s.stdout, report)
	default:
		printer.end(report)
	}
	switch {
	case err != nil:
		return err
	case report.Count(drill.Broken) > 0:
		return errNo // they are printed
	case report.Err() != nil:
		return report.Err()
	}
	untested := report.Untested()
	if len(flags.failOn) == 0 || len(untested) == 0 {
		return nil
	}
	fmt.Fprintf(s.stderr, "Not tested: %s.\n", visible(strings.Join(untested, ", "), keepNothing))
	return errNo
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return strconv.Itoa(n) + " times"
}

// plan reads what the flags name.
func (f *drillFlags) plan(s *session) (*drill.Plan, error) {
	if i := slices.IndexFunc(f.failOn, func(word string) bool { return word != "untested" }); i >= 0 {
		return nil, fmt.Errorf("--fail-on %s: it can be untested; a broken promise always ends with 1", visible(f.failOn[i], keepNothing))
	}
	if f.safe && !f.sandbox && !drill.IsLocal(f.url) {
		return nil, fmt.Errorf("--url %s is not this machine, and the drill does real work: give --sandbox if the address is a sandbox", visible(f.url, keepNothing))
	}
	content, err := os.Open(f.policy)
	if err != nil {
		return nil, fmt.Errorf("cannot read the policy: %w", err)
	}
	defer func() { _ = content.Close() }()
	p := &drill.Plan{
		BaseURL: f.url, Operations: f.operations, Promises: f.promises, Concurrency: f.concurrency, After: f.after,
		Paths:  map[string]string{},
		Limits: drill.Limits{Request: f.timeout, Settle: f.settle, Total: f.atMost},
	}
	if p.Credentials, err = headersOf(s, "--header", f.headers, f.environment); err != nil {
		return nil, err
	}
	if p.OtherCredentials, err = headersOf(s, "--other-header", f.otherHeaders, f.otherEnvironment); err != nil {
		return nil, err
	}
	if p.Policy, err = policydoc.ReadJSON(content); err != nil {
		return nil, fmt.Errorf("%s: %w", f.policy, err)
	}
	if p.Bodies, err = bodiesOf("--body", f.bodies); err != nil {
		return nil, err
	}
	if p.Declined, err = bodiesOf("--declined", f.declined); err != nil {
		return nil, err
	}
	for _, text := range f.paths {
		operation, path, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("--path %s: it is OPERATION=/PATH", text)
		}
		p.Paths[operation] = path
	}
	if strings.TrimSpace(f.clock) != "" {
		p.Clock = f.setClock
	}
	return p, nil
}

// bodiesOf reads bodies, by operation.
func bodiesOf(flag string, texts []string) (map[string]drill.Body, error) {
	bodies := map[string]drill.Body{}
	for _, text := range texts {
		operation, file, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("%s %s: it is OPERATION=FILE", flag, visible(text, keepNothing))
		}
		body, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
		bodies[operation] = drill.Body{Content: bytes.TrimSuffix(body, []byte("\n"))}
	}
	return bodies, nil
}

// headersOf reads headers. What is wrong with one is said without its value: it may be a secret.
func headersOf(s *session, flag string, texts, environment []string) (http.Header, error) {
	headers := http.Header{}
	for _, text := range texts {
		name, value, ok := strings.Cut(text, ":")
		if name = strings.TrimSpace(name); !ok || !policy.IsToken(name) {
			return nil, fmt.Errorf("%s is 'Name: value', and what is given has no name that a header can have", flag)
		}
		if value = strings.TrimSpace(value); strings.ContainsFunc(value, unicode.IsControl) {
			return nil, fmt.Errorf("%s %s: its value has control characters, which no header can have", flag, name)
		}
		headers.Add(name, value)
	}
	for _, text := range environment {
		name, variable, ok := strings.Cut(text, "=")
		if !ok || !policy.IsToken(name) {
			return nil, fmt.Errorf("%s-env %s: it is NAME=VARIABLE", flag, visible(text, keepNothing))
		}
		value, set := s.env(variable)
		if value = strings.TrimSpace(value); !set || value == "" {
			return nil, fmt.Errorf("%s-env %s: the environment variable %s is not set", flag, name, visible(variable, keepNothing))
		}
		if strings.ContainsFunc(value, unicode.IsControl) {
			return nil, fmt.Errorf("%s-env %s: its value has control characters, which no header can have", flag, name)
		}
		headers.Add(name, value)
	}
	return headers, nil
}

// setClock sets the server's clock forward, in whole seconds.
func (f *drillFlags) setClock(ctx context.Context, by time.Duration) error {
	seconds := strconv.FormatInt(int64((by+time.Second-1)/time.Second), 10)
	if strings.HasPrefix(f.clock, "http://") || strings.HasPrefix(f.clock, "https://") {
		separator := "?"
		if strings.Contains(f.clock, "?") {
			separator = "&"
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, f.clock+separator+"seconds="+seconds, nil)
		if err != nil {
			return errors.New("--clock is no address that can be called")
		}
		response, err := (&http.Client{Timeout: f.timeout}).Do(request)
		if err != nil {
			return errors.New("--clock cannot be called")
		}
		defer func() { _ = response.Body.Close() }()
		if response.StatusCode/100 != 2 {
			return fmt.Errorf("--clock was answered with %d", response.StatusCode)
		}
		return nil
	}
	words := strings.Fields(f.clock)
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	command := exec.CommandContext(ctx, words[0], append(words[1:], seconds)...)
	command.Stdout, command.Stderr = nil, nil
	return command.Run()
}
