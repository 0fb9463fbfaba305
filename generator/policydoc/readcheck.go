package policydoc

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/idemgen/idemgen/runtime/policy"
)

// What a policy that is read may ask for at most: it may come from anybody.
const (
	maxReadKey     = 64 << 10 // of a key, in characters
	maxReadPointer = 4 << 10  // of a JSON Pointer, in bytes
)

// checkOnce refuses two things of one name, where what is announced of one would be done for both.
func checkOnce(seen map[string]bool, kind, name string) error {
	if seen[name] {
		return fmt.Errorf("the policy has two %ss %q", kind, excerpt(name))
	}
	seen[name] = true
	return nil
}

// check refuses what no request can be made of, and what would make one to another server than the one that is asked.
func (o *PublishedOperation) check() error {
	if !policy.IsToken(o.Method) {
		return errors.New("its method is none that HTTP has")
	}
	if !o.Webhook {
		if err := checkPath(o.Path); err != nil {
			return err
		}
	}
	for name, r := range map[string]*Request{"example": o.Example, "other": o.Other} {
		if r == nil {
			continue
		}
		if err := r.check(o.Webhook); err != nil {
			return fmt.Errorf("its member %s: %w", name, err)
		}
	}
	k := &o.Key
	if k.MinLength < 0 || k.MaxLength < 0 || k.MinLength > maxReadKey || k.MaxLength > maxReadKey {
		return fmt.Errorf("its key's lengths are not within 0 and %d", maxReadKey)
	}
	if len(k.Pointer) > maxReadPointer {
		return fmt.Errorf("its key's pointer is longer than %d bytes", maxReadPointer)
	}
	seen := map[string]bool{}
	for i := range o.Promises {
		if err := checkOnce(seen, "promise", o.Promises[i].ID); err != nil {
			return err
		}
	}
	return nil
}

// checkPath refuses a path that would change the address it is appended to.
func checkPath(path string) error {
	if !strings.HasPrefix(path, "/") || strings.ContainsFunc(path, unicode.IsControl) {
		return errors.New("its path does not begin with /, or has control characters")
	}
	return nil
}

func (r *Request) check(webhook bool) error {
	if !webhook || strings.HasPrefix(r.Path, "/") {
		if err := checkPath(r.Path); err != nil {
			return err
		}
	}
	if strings.ContainsFunc(r.Query, unicode.IsControl) {
		return errors.New("its query has control characters")
	}
	for name, value := range r.Headers {
		if !policy.IsToken(name) {
			return fmt.Errorf("no header can have the name %q", excerpt(name))
		}
		if !isHeaderValue(value) {
			return fmt.Errorf("its header %s has control characters", excerpt(name))
		}
	}
	if !isHeaderValue(r.ContentType) {
		return errors.New("its contentType has control characters")
	}
	return nil
}

func isHeaderValue(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}

// excerpt is as much of a text as an error needs.
func excerpt(text string) string {
	const most = 80
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}
