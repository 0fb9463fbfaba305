package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/idemgen/idemgen/generator"
	"github.com/idemgen/idemgen/generator/config"
	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/policydoc"
)

// diffSide is one side of a comparison, ready to be read.
type diffSide struct {
	generator.Version
	// arg is what the user wrote.
	arg string
	// places are folders and files of ours that stand for something else, and its name.
	places []place
}

type place struct{ ours, theirs string }

// shown names a file as the user does.
func (v *diffSide) shown(file string) string {
	for _, p := range v.places {
		if file == p.ours {
			return p.theirs
		}
		if rest, ok := strings.CutPrefix(file, p.ours+"/"); ok {
			return p.theirs + rest
		}
	}
	return file
}

// found are the errors among findings; what else there is to say of a document is a matter of check.
func (v *diffSide) found(list diag.List) diag.List {
	list = list.Errors()
	for i := range list {
		list[i].Pos.File = v.shown(list[i].Pos.File)
		list[i].Message, list[i].Hint = v.said(list[i].Message), v.said(list[i].Hint)
	}
	return list
}

// said takes our names out of a text.
func (v *diffSide) said(text string) string {
	for _, p := range v.places {
		text = strings.ReplaceAll(strings.ReplaceAll(text, p.ours+"/", p.theirs), p.ours, p.theirs)
	}
	return text
}

// inError takes our names out of an error's text.
func (v *diffSide) inError(err error) error {
	if err == nil {
		return nil
	}
	text := v.said(err.Error())
	if text == err.Error() {
		return err
	}
	return errors.New(text)
}

// diffSides opens the sides of a comparison. What is not a file of the user's is kept in a folder until close.
type diffSides struct {
	ctx   context.Context
	s     *session
	flags *diffFlags
	stdin io.Reader
	temp  string            // made when it is needed
	trees map[string]string // of revisions, by their names
}

func newDiffSides(ctx context.Context, s *session, flags *diffFlags, stdin io.Reader) *diffSides {
	return &diffSides{ctx: ctx, s: s, flags: flags, stdin: stdin, trees: map[string]string{}}
}

func (v *diffSides) close() {
	if v.temp != "" {
		os.RemoveAll(v.temp) //nolint:errcheck // the system clears such folders as well
	}
}

// folder makes a folder for what is not a file of the user's.
func (v *diffSides) folder(name string) (string, error) {
	if v.temp == "" {
		temp, err := os.MkdirTemp("", "idemgen-diff-")
		if err != nil {
			return "", fmt.Errorf("cannot make a folder for a version: %w", err)
		}
		v.temp = temp
	}
	folder := filepath.Join(v.temp, name)
	return folder, os.MkdirAll(folder, 0o700)
}

func (v *diffSides) open(arg string, overlays []string) (*diffSide, error) {
	side := &diffSide{arg: arg}
	file, root, err := v.locate(side, arg)
	if err != nil {
		return nil, err
	}
	all := append(append([]string(nil), v.flags.overlays...), overlays...)
	for i := range all {
		if all[i], _, err = v.locate(side, all[i]); err != nil {
			return nil, err
		}
	}
	return side, side.inError(v.read(side, file, root, all))
}

// locate finds the file or folder that arg stands for, and the folder that its references stay in, empty for its own.
func (v *diffSides) locate(side *diffSide, arg string) (file, root string, err error) {
	if arg == "-" {
		file, err = v.standardInput(side)
		return file, "", err
	}
	revision, name, ok := gitArgument(arg)
	if !ok {
		return arg, v.flags.root, nil
	}
	tree, name, err := v.revision(side, revision, name)
	if err != nil {
		return "", "", fmt.Errorf("%s: %w", arg, err)
	}
	return path.Join(tree, name), path.Join(tree, filepath.ToSlash(v.flags.root)), nil
}

// maxInput bounds what is read from standard input, as the reader of documents bounds files.
const maxInput = 64 << 20

func (v *diffSides) standardInput(side *diffSide) (string, error) {
	content, err := io.ReadAll(io.LimitReader(v.stdin, maxInput+1))
	if err != nil {
		return "", fmt.Errorf("cannot read standard input: %w", err)
	}
	if len(content) > maxInput {
		return "", fmt.Errorf("standard input has more than %d MiB", maxInput>>20)
	}
	folder, err := v.folder("stdin")
	if err != nil {
		return "", err
	}
	file := path.Join(filepath.ToSlash(folder), "openapi.yaml") // JSON is told by its content
	side.places = append(side.places, place{file, "-"}, place{path.Dir(file), "standard input: "})
	if err := os.WriteFile(file, content, 0o600); err != nil {
		return "", fmt.Errorf("cannot keep standard input: %w", err)
	}
	return file, nil
}

// read fills in what is compared: a published policy, the document of a configuration, or a document.
func (v *diffSides) read(side *diffSide, file, root string, overlays []string) error {
	info, err := os.Stat(file)
	if err != nil {
		return fmt.Errorf("cannot read a version: %w", err)
	}
	p := project{dir: "."}
	switch {
	case info.IsDir(), filepath.Base(file) == config.FileName:
		if info.IsDir() {
			file = path.Join(filepath.ToSlash(file), config.FileName)
		}
		flags := projectFlags{config: file, overlays: overlays, profiles: v.flags.profiles, accept: v.flags.accept}
		if v.flags.root != "" {
			flags.root = root
		}
		if p, err = flags.open(v.s); err != nil {
			return err
		}
		if p.config.Root == "" && root != "" { // a revision's files stay within the revision
			if p.config.Root, err = relativeTo(p.dir, root); err != nil {
				return err
			}
		}
	default:
		content, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("cannot read a version: %w", err)
		}
		if policydoc.IsJSONPolicy(content) {
			if len(overlays) > 0 {
				return fmt.Errorf("%s is a published policy, over which no overlay can be laid", side.arg)
			}
			side.Published, side.Name = content, filepath.ToSlash(file)
			return nil
		}
		if by := overlaidBy(file); by != "" && !v.flags.anyOverlay() {
			return fmt.Errorf("%s: %s lays overlays over it, and without them its policy is not whole: write %s in its place, or name the overlays with --overlay",
				side.arg, side.shown(by), folderOf(side.arg))
		}
		p.config, err = config.Default().With(config.Overrides{
			Spec: filepath.ToSlash(file), Overlays: overlays, Root: root, Profiles: v.flags.profiles, AcceptDeclared: v.flags.accept,
		})
		if err != nil {
			return err
		}
	}
	side.Input = generator.Input{Config: p.config, Dir: p.dir}
	return nil
}

// overlaidBy is the configuration beside a document that lays overlays over it; empty where there is none.
func overlaidBy(document string) string {
	name := path.Join(path.Dir(filepath.ToSlash(document)), config.FileName)
	content, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	beside, found := config.Decode(name, content)
	if found.Err() != nil || len(beside.Overlays) == 0 || path.Clean(beside.Spec) != path.Base(filepath.ToSlash(document)) {
		return ""
	}
	return name
}

// folderOf is what names the folder of a document that arg names.
func folderOf(arg string) string {
	arg = filepath.ToSlash(arg)
	folder := strings.TrimSuffix(arg, path.Base(arg))
	if revision, name, ok := gitArgument(arg); ok && !strings.Contains(name, "/") {
		return "git:" + revision + ":."
	}
	if folder == "" {
		return "."
	}
	return folder
}
