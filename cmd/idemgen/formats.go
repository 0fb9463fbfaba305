package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/idemgen/idemgen/generator/diag"
)

// finding is one diagnostic in `--format json`. Members are only ever added.
type finding struct {
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"` // in bytes, from 1
	Severity string `json:"severity"`
	Rule     string `json:"rule"`
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`
	Source   string `json:"source,omitempty"`
}

// outcome is everything a run has to say in `--format json`.
type outcome struct {
	Version  int       `json:"version"`
	Findings []finding `json:"findings"`
	Files    []touched `json:"files"`
	// Kept are files that are generated no more but were edited by hand.
	Kept []string `json:"kept,omitempty"`
	// Diff is what check found, as a unified diff.
	Diff string `json:"diff,omitempty"`
}

// touched is a file that a run wrote or, in a check, would write.
type touched struct {
	Path   string `json:"path"`
	Action string `json:"action"` // create, update, delete
}

func writeJSON(w io.Writer, o outcome) error {
	o.Version = 1
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(o)
}

func findings(list diag.List) []finding {
	all := make([]finding, len(list))
	for i, d := range list {
		all[i] = finding{
			File: d.Pos.File, Line: d.Pos.Line, Column: d.Pos.Column, Severity: string(d.Severity),
			Rule: d.Rule, Message: d.Message, Hint: d.Hint, Source: strings.TrimRight(d.Source, "\r\n"),
		}
	}
	return all
}

// writeGitHub prints workflow commands, which GitHub Actions shows as annotations beside the lines they name:
// https://docs.github.com/actions/reference/workflow-commands-for-github-actions.
func writeGitHub(w io.Writer, list diag.List) {
	for _, d := range list {
		command := map[diag.Severity]string{diag.Error: "error", diag.Warning: "warning"}[d.Severity]
		if command == "" {
			command = "notice"
		}
		var properties []string
		if d.Pos.File != "" {
			properties = append(properties, "file="+githubProperty.Replace(d.Pos.File))
		}
		if d.Pos.Line > 0 {
			properties = append(properties, fmt.Sprintf("line=%d", d.Pos.Line))
		}
		if d.Pos.Column > 0 {
			properties = append(properties, fmt.Sprintf("col=%d", d.Pos.Column))
		}
		properties = append(properties, "title="+githubProperty.Replace("idemgen "+d.Rule))
		message := d.Message
		if d.Hint != "" {
			message += "\n" + d.Hint
		}
		fmt.Fprintf(w, "::%s %s::%s\n", command, strings.Join(properties, ","), githubData.Replace(message))
	}
}

// GitHub decodes these escapes; without them a document could issue commands of its own.
var (
	githubData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
