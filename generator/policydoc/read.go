package policydoc

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/idemgen/idemgen/runtime/policy"
)

// Published is a JSON policy as its reader sees it: what is needed to call each operation, and its promises.
type Published struct {
	// Title and Version are the API's; Servers are its addresses, which may hold variables in braces.
	Title, Version string
	Servers        []string
	// Operations are the keyed ones, in the order of the document.
	Operations []PublishedOperation
}

// PublishedOperation is a keyed operation of a published policy.
type PublishedOperation struct {
	ID, Method, Path string
	Webhook          bool
	// Key says where the key goes and which keys are well-formed.
	Key      policy.Key
	Mode     policy.Mode
	Promises []PublishedPromise
	// Example is a request that can be sent, Other one that has another meaning; nil where the policy has none.
	Example, Other *Request
}

// PublishedPromise is one sentence.
type PublishedPromise struct {
	ID, Text string
	// Parameters are as [encoding/json] decodes them: numbers are float64.
	Parameters Parameters
	Testable   bool
	Why        string
}

// Promise returns the promise of an id.
func (o *PublishedOperation) Promise(id string) (*PublishedPromise, bool) {
	for i := range o.Promises {
		if o.Promises[i].ID == id {
			return &o.Promises[i], true
		}
	}
	return nil, false
}

// maxPolicy is the largest JSON policy that is read, in bytes.
const maxPolicy = 64 << 20

// ReadJSON reads a JSON policy of version 1. Members that it does not know are passed over, as a later idemgen may have
// written them. An error says what is missing; a policy without a keyed operation is one, and so is one whose requests
// could go to another server than the one that their paths are appended to.
func ReadJSON(r io.Reader) (*Published, error) {
	content, err := io.ReadAll(io.LimitReader(r, maxPolicy+1))
	if err != nil {
		return nil, fmt.Errorf("the policy cannot be read: %w", err)
	}
	if len(content) > maxPolicy {
		return nil, fmt.Errorf("the policy is larger than %s", inBytes(maxPolicy))
	}
	var file struct {
		Version    int
		API        jsonAPI
		Operations []struct {
			jsonOperation
			Promises []struct {
				ID, Text   string
				Parameters Parameters
				Testable   *bool
				Why        string
			} `json:"promises"`
		}
	}
	if err := json.Unmarshal(content, &file); err != nil {
		return nil, fmt.Errorf("the policy is not JSON of the form that idemgen generate writes (docs.json in idemgen.yaml): %w", err)
	}
	if file.Version != policyVersion {
		return nil, fmt.Errorf("the policy has version %d, and this idemgen reads version %d: is it the file that docs.json names in idemgen.yaml?", file.Version, policyVersion)
	}
	p := &Published{Title: file.API.Title, Version: file.API.Version, Servers: file.API.Servers}
	seen := map[string]bool{}
	for i := range file.Operations {
		from := &file.Operations[i]
		if from.Decision != string(policy.Keyed) {
			continue
		}
		op := PublishedOperation{ID: from.ID, Method: from.Method, Path: from.Path, Webhook: from.Webhook, Example: from.Example, Other: from.Other}
		if err := op.readRules(from.Rules); err != nil {
			return nil, fmt.Errorf("the policy's operation %q: %w", excerpt(from.ID), err)
		}
		if err := checkOnce(seen, "operation", op.ID); err != nil {
			return nil, err
		}
		for _, promise := range from.Promises {
			if promise.Testable == nil {
				return nil, fmt.Errorf("the policy's operation %q has a promise that does not say whether it can be tested: generate the policy anew with this idemgen", excerpt(from.ID))
			}
			op.Promises = append(op.Promises, PublishedPromise{
				ID: promise.ID, Text: promise.Text, Parameters: promise.Parameters, Testable: *promise.Testable, Why: promise.Why,
			})
		}
		if err := op.check(); err != nil {
			return nil, fmt.Errorf("the policy's operation %q: %w", excerpt(op.ID), err)
		}
		p.Operations = append(p.Operations, op)
	}
	if len(p.Operations) == 0 {
		return nil, errors.New("the policy has no operation with a key")
	}
	return p, nil
}

func (o *PublishedOperation) readRules(rules *jsonRules) error {
	if rules == nil {
		return errors.New("it is keyed and has no rules")
	}
	k := &rules.Key
	o.Mode = policy.Mode(rules.Mode)
	o.Key = policy.Key{
		In: policy.Location(k.In), Name: k.Name, Pointer: k.Pointer, Required: k.Required, Format: policy.Format(k.Format),
		MinLength: k.MinLength, MaxLength: k.MaxLength, LengthUnit: policy.LengthUnit(k.LengthUnit), Pattern: k.Pattern,
		Syntax: policy.Syntax(k.Syntax), RefusePersonalData: k.RefusePersonalData,
	}
	switch o.Key.In {
	case policy.InHeader:
		if !policy.IsToken(k.Name) {
			return errors.New("its key's header has a name that no header can have")
		}
		o.Key.Name = http.CanonicalHeaderKey(k.Name)
	case policy.InQuery, policy.InForm:
		if k.Name == "" {
			return errors.New("its key has no name")
		}
	case policy.InBody:
		if k.Pointer == "" || k.Pointer[0] != '/' {
			return errors.New("its key has no pointer")
		}
	default:
		return fmt.Errorf("its key is in %q, and a key is in header, query, body or form", k.In)
	}
	if first := k.FirstSent; first != nil {
		skew, err := ParseDuration(first.MaxSkew)
		if err != nil || !policy.IsToken(first.Header) {
			return errors.New("its key's firstSent has no header, or no maxSkew")
		}
		o.Key.FirstSent = policy.FirstSent{Header: http.CanonicalHeaderKey(first.Header), MaxSkew: skew}
	}
	return nil
}

var isoForm = regexp.MustCompile(`^P(?:(\d{1,6})D)?(?:T(?:(\d{1,8})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:\.\d{1,9})?)S)?)?$`)

// ParseDuration reads a duration as a JSON policy writes it: P7D, PT24H, PT0.5S.
func ParseDuration(text string) (time.Duration, error) {
	parts := isoForm.FindStringSubmatch(text)
	if parts == nil || text[len(text)-1] == 'P' || text[len(text)-1] == 'T' {
		return 0, fmt.Errorf("%q is not a duration such as PT24H or P7D", text)
	}
	var total float64
	for i, seconds := range []float64{86400, 3600, 60, 1} {
		if parts[i+1] == "" {
			continue
		}
		n, err := strconv.ParseFloat(parts[i+1], 64)
		if err != nil {
			return 0, fmt.Errorf("%q is not a duration: %w", text, err)
		}
		total += n * seconds
	}
	if total > 100*365*86400 {
		return 0, fmt.Errorf("%q is a duration of more than a century", text)
	}
	return time.Duration(total * float64(time.Second)), nil
}
