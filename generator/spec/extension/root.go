package extension

import (
	"net/url"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/runtime/policy"
)

// Root is x-idempotency at the root of a document, read: defaults for every operation, and what is said once.
type Root struct {
	// Version is the version of the extension, 1.
	Version int
	// Profile is the document's profile, [policy.DefaultProfile] when none is named.
	Profile string
	// Title, Contact and DocsURL are for the published page.
	Title, Contact, DocsURL string
	// Consumers are sorted by name.
	Consumers []policy.Consumer
	// Pos is where the value stands.
	Pos policy.Position

	members Members
}

// DecodeRoot reads x-idempotency at the root of a document. A nil node is absent: the result is then a Root with defaults
// only, never nil.
func DecodeRoot(node *yaml.Node, at Locator, profiles *Profiles) (*Root, diag.List) {
	root := &Root{Version: 1, Profile: policy.DefaultProfile, members: Members{Level: policy.LevelDocument, settings: settings{}}}
	if node == nil {
		return root, nil
	}
	r := &reader{at: at, profiles: profiles}
	r.outer = r.position(node)
	value := r.resolve(node)
	root.Pos = r.position(value)
	root.members.Pos = root.Pos
	if value == nil || value.Kind != yaml.MappingNode {
		r.report(ruleMisplaced, value, "write the decision on each operation; the root holds an object of defaults", "x-idempotency at the root is %s, and a decision stands on an operation", describe(value))
		return root, r.diags
	}
	r.readRoot(value, root)
	return root, r.diags
}

func (r *reader) readRoot(node *yaml.Node, root *Root) {
	fields := r.object(node)
	if form, ok := foreignForm(fields); ok {
		r.reportForeign(node, form)
		return
	}
	var rest []field
	for _, f := range fields {
		switch f.name {
		case "version":
			r.readVersion(f)
		case "title":
			root.Title, _ = r.line(f.value, "title")
		case "contact":
			root.Contact, _ = r.line(f.value, "contact")
		case "docsUrl":
			root.DocsURL = r.readURL(f)
		case "consumers":
			root.Consumers = r.readConsumers(f.value)
		default:
			rest = append(rest, f)
		}
	}
	r.readLayer(rest, &root.members)
	if root.members.profile.name != "" {
		root.Profile = root.members.profile.name
	}
}

func (r *reader) readVersion(f field) {
	if f.value == nil || f.value.ShortTag() != "!!int" || f.value.Value != "1" {
		r.report(ruleVersion, f.value, "write version: 1", "version is %s, and this idemgen reads version 1", describe(f.value))
	}
}

func (r *reader) readURL(f field) string {
	text, ok := r.line(f.value, f.name)
	if !ok {
		return ""
	}
	parsed, err := url.Parse(text)
	if err != nil || parsed.Host == "" || parsed.Scheme != "https" && parsed.Scheme != "http" || parsed.User != nil {
		r.report(ruleBadURL, f.value, "write https://docs.example.com/idempotency", "%s %s is not an absolute http or https address", f.name, show(text))
		return ""
	}
	return parsed.String()
}

func (r *reader) readConsumers(node *yaml.Node) []policy.Consumer {
	entries, _ := r.entries(node, "consumers")
	var consumers []policy.Consumer
	for i, entry := range entries {
		consumer, ok := r.readConsumer(entry, "consumers["+strconv.Itoa(i)+"]")
		if !ok {
			continue
		}
		if slices.ContainsFunc(consumers, func(c policy.Consumer) bool { return c.Name == consumer.Name }) {
			r.report(ruleConsumer, entry, "give each its own name", "consumer %s stands twice", show(consumer.Name))
			continue
		}
		consumers = append(consumers, consumer)
	}
	slices.SortFunc(consumers, func(a, b policy.Consumer) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return consumers
}

func (r *reader) readConsumer(node *yaml.Node, member string) (policy.Consumer, bool) {
	consumer := policy.Consumer{Pos: r.position(node)}
	fields, ok := r.objectIn(node, member)
	if !ok {
		return consumer, false
	}
	for _, f := range fields {
		var good bool
		switch f.name {
		case "name":
			consumer.Name, good = r.step(f.value, member+".name")
		case "event":
			consumer.Event, good = r.eventRef(f.value, member+".event")
		case "id":
			consumer.ID, good = r.pointer(f.value, member+".id")
		case "group":
			consumer.Group, good = r.line(f.value, member+".group")
		case "retention":
			consumer.Retention, good = r.duration(f.value, member+".retention")
		case "source":
			consumer.Source, good = r.line(f.value, member+".source")
		default:
			r.unknown(f, member, []string{"name", "event", "id", "group", "retention", "source"})
			good = false
		}
		ok = ok && good
	}
	for _, required := range []struct{ name, value string }{{"name", consumer.Name}, {"event", consumer.Event}, {"id", consumer.ID}} {
		if ok && required.value == "" {
			r.report(ruleConsumer, node, "write name:, event: and id:", "%s has no %s", member, required.name)
			return consumer, false
		}
	}
	return consumer, ok
}

// eventRef reads a reference to a schema of this document.
func (r *reader) eventRef(node *yaml.Node, member string) (string, bool) {
	text, ok := r.line(node, member)
	if !ok {
		return "", false
	}
	if len(text) < 3 || text[0] != '#' || checkPointer(text[1:]) != nil {
		r.report(ruleBadPointer, node, "write '#/components/schemas/Name'", "%s %s does not point at a schema of this document", member, show(text))
		return "", false
	}
	return text, true
}
