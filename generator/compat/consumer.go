package compat

import (
	"slices"
	"strings"

	"github.com/idemgen/idemgen/runtime/policy"
)

var (
	ruleConsumerAdded = compatible("consumer-added",
		"The events of a further consumer are recorded, each once", Consumers)
	ruleConsumerRemoved = breaking("consumer-removed",
		"An event that is delivered twice is not recognised by the consumer any more",
		"take the consumer away when nothing is delivered to it", Consumers)
	ruleConsumerRenamed = editorial("consumer-renamed",
		"The consumer has another name; it records the same ids in the same group")
	ruleConsumerID = breaking("consumer-id",
		"An event that was recorded by its old id is not recognised when it is delivered again",
		"read the new id in another consumer, with a group of its own, from the first new event on", Consumers)
	ruleConsumerGroup = breaking("consumer-group",
		"What was recorded in the old group is not found: an event that is delivered again is handled again",
		"change the group when nothing is delivered twice any more", Consumers)
	ruleConsumerRetentionShorter = breaking("consumer-retention-shorter",
		"An event that is delivered again when the new time is over is handled again",
		"keep the time longer than the queue's longest redelivery", Consumers)
	ruleConsumerRetentionLonger = compatible("consumer-retention-longer",
		"An event is recognised for longer", Consumers)
	ruleConsumerEvent = editorial("consumer-event",
		"The event is described at another place of the document")
	ruleConsumerSource = editorial("consumer-source",
		"The queue's kind, which is for readers, reads otherwise")
)

// consumerRow is a member of a consumer.
type consumerRow struct {
	field, member string
	value         func(*policy.Consumer) string
	judge         func(old, current *policy.Consumer) Rule
}

var consumerRows = []consumerRow{
	{"Name", "name", func(c *policy.Consumer) string { return quoted(c.Name) }, consumerRule(ruleConsumerRenamed)},
	{"Event", "event", func(c *policy.Consumer) string { return quoted(c.Event) }, consumerRule(ruleConsumerEvent)},
	{"ID", "id", func(c *policy.Consumer) string { return quoted(c.ID) }, consumerRule(ruleConsumerID)},
	{"Group", "group", func(c *policy.Consumer) string { return quoted(c.Group) }, consumerRule(ruleConsumerGroup)},
	{"Retention", "retention", func(c *policy.Consumer) string { return duration(c.Retention) }, func(old, current *policy.Consumer) Rule {
		// A consumer without a retention is not bound to forget.
		if old.Retention != 0 && (current.Retention == 0 || current.Retention > old.Retention) {
			return ruleConsumerRetentionLonger
		}
		return ruleConsumerRetentionShorter
	}},
	{"Source", "source", func(c *policy.Consumer) string { return quoted(c.Source) }, consumerRule(ruleConsumerSource)},
}

func consumerRule(rule Rule) func(old, current *policy.Consumer) Rule {
	return func(*policy.Consumer, *policy.Consumer) Rule { return rule }
}

func consumerChanges(old, current *policy.Document) []Change {
	var changes []Change
	var matched []*policy.Consumer
	for i := range current.Consumers {
		after := &current.Consumers[i]
		before := sameConsumer(old, current, after)
		if before == nil {
			changes = append(changes, Change{Rule: ruleConsumerAdded, Member: consumerMember(after), New: consumerText(after), NewPos: after.Pos})
			continue
		}
		matched = append(matched, before)
		for _, r := range consumerRows {
			if a, b := r.value(before), r.value(after); a != b {
				changes = append(changes, Change{
					Rule: r.judge(before, after), Member: consumerMember(after) + "." + r.member, Old: a, New: b, OldPos: before.Pos, NewPos: after.Pos,
				})
			}
		}
	}
	for i := range old.Consumers {
		if before := &old.Consumers[i]; !slices.Contains(matched, before) {
			changes = append(changes, Change{Rule: ruleConsumerRemoved, Member: consumerMember(before), Old: consumerText(before), OldPos: before.Pos})
		}
	}
	return changes
}

// sameConsumer finds a consumer in the other document by its name, or by what it records where its name is in neither.
func sameConsumer(old, current *policy.Document, c *policy.Consumer) *policy.Consumer {
	named := func(doc *policy.Document, name string) *policy.Consumer {
		i := slices.IndexFunc(doc.Consumers, func(o policy.Consumer) bool { return o.Name == name })
		if i < 0 {
			return nil
		}
		return &doc.Consumers[i]
	}
	if same := named(old, c.Name); same != nil {
		return same
	}
	var same []*policy.Consumer
	for i := range old.Consumers {
		o := &old.Consumers[i]
		if named(current, o.Name) == nil && o.Event == c.Event && o.ID == c.ID && o.Group == c.Group {
			same = append(same, o)
		}
	}
	alike := 0
	for i := range current.Consumers {
		n := &current.Consumers[i]
		if named(old, n.Name) == nil && n.Event == c.Event && n.ID == c.ID && n.Group == c.Group {
			alike++
		}
	}
	if len(same) != 1 || alike != 1 {
		return nil
	}
	return same[0]
}

func consumerMember(c *policy.Consumer) string { return "consumers." + c.Name }

func consumerText(c *policy.Consumer) string {
	var entries []string
	for _, r := range consumerRows[1:] {
		if value := r.value(c); value != "" {
			entries = append(entries, r.member+": "+value)
		}
	}
	return "{" + strings.Join(entries, ", ") + "}"
}
