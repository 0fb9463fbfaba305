package main

import (
	"encoding/json"

	"github.com/idemgen/idemgen/generator/compat"
	"github.com/idemgen/idemgen/runtime/policy"
)

// diffSchema describes what diff prints in --format json.
const diffSchema = "https://raw.githubusercontent.com/idemgen/idemgen/main/docs/schema/diff-v1.schema.json"

// The outcome of diff in --format json. Members are only ever added.
type (
	diffOutcome struct {
		Schema  string `json:"$schema"`
		Version int    `json:"version"`
		Old     string `json:"old"`
		New     string `json:"new"`
		// Published is true where only what is published was compared.
		Published bool                `json:"published,omitempty"`
		Counts    map[compat.Kind]int `json:"counts"`
		Changes   []diffChange        `json:"changes"`
		Needs     []diffNeed          `json:"needs"`
		// Findings are the errors of a version that keep it from being compared.
		Findings []finding `json:"findings"`
	}

	diffChange struct {
		Kind      compat.Kind       `json:"kind"`
		Rule      string            `json:"rule"`
		Affects   []compat.Affected `json:"affects"`
		Operation *diffOperation    `json:"operation,omitempty"`
		Member    string            `json:"member"`
		Old       string            `json:"old,omitempty"`
		New       string            `json:"new,omitempty"`
		OldAt     *diffPlace        `json:"oldAt,omitempty"`
		NewAt     *diffPlace        `json:"newAt,omitempty"`
		Message   string            `json:"message"`
		Hint      string            `json:"hint,omitempty"`
		Needs     []string          `json:"needs,omitempty"`
	}

	diffOperation struct {
		ID      string `json:"id"`
		Method  string `json:"method"`
		Path    string `json:"path"`
		Webhook bool   `json:"webhook,omitempty"`
	}

	diffPlace struct {
		File   string `json:"file"`
		Line   int    `json:"line,omitempty"`
		Column int    `json:"column,omitempty"` // in bytes, from 1
	}

	diffNeed struct {
		ID         string          `json:"id"`
		When       string          `json:"when"` // before, after
		Message    string          `json:"message"`
		See        string          `json:"see"`
		Operations []diffOperation `json:"operations,omitempty"`
	}
)

// json prints a comparison, or the findings that there was none for, where the format is json.
func (c *comparison) json(s *session) error {
	if s.format != "json" {
		return nil
	}
	out := diffOutcome{
		Schema: diffSchema, Version: 1, Old: c.old, New: c.current, Counts: map[compat.Kind]int{}, Changes: []diffChange{}, Needs: []diffNeed{},
		Findings: findings(append(c.before, c.after...)),
	}
	var changes []compat.Change
	if c.difference != nil {
		changes, out.Published = c.difference.Changes, c.difference.Published
	}
	for _, kind := range compat.Kinds() {
		out.Counts[kind] = compat.Count(changes, kind)
	}
	for i := range changes {
		out.Changes = append(out.Changes, jsonChange(&changes[i]))
	}
	for _, need := range compat.NeedsOf(changes) {
		n := diffNeed{ID: need.ID, When: "after", Message: need.Text, See: docsAddress + need.See}
		if need.Before {
			n.When = "before"
		}
		for _, op := range need.Operations {
			n.Operations = append(n.Operations, diffOperation(op))
		}
		out.Needs = append(out.Needs, n)
	}
	encoder := json.NewEncoder(s.stdout)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(out)
}

func jsonChange(c *compat.Change) diffChange {
	change := diffChange{
		Kind: c.Kind, Rule: c.Rule.ID, Affects: append([]compat.Affected{}, c.Affects...), Member: c.Member, Old: c.Old, New: c.New,
		OldAt: jsonPlace(c.OldPos), NewAt: jsonPlace(c.NewPos), Message: c.Text, Hint: c.Hint,
	}
	if c.Operation != nil {
		op := diffOperation(*c.Operation)
		change.Operation = &op
	}
	for _, need := range c.Needs {
		change.Needs = append(change.Needs, need.ID)
	}
	return change
}

func jsonPlace(at policy.Position) *diffPlace {
	if at.File == "" {
		return nil
	}
	return &diffPlace{File: at.File, Line: at.Line, Column: at.Column}
}
