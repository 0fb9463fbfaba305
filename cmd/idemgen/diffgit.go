package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// gitArgument takes git:REVISION:PATH apart. A revision has no colon, so the first one ends it.
func gitArgument(arg string) (revision, name string, ok bool) {
	rest, ok := strings.CutPrefix(arg, "git:")
	if !ok {
		return "", "", false
	}
	revision, name, ok = strings.Cut(rest, ":")
	return revision, name, ok
}

// Bounds of what is taken from a revision: a document refers to files of its own kind only.
const (
	maxTreeFiles = 20_000
	maxTreeBytes = 512 << 20
)

// treeFile matches the files that a document, an overlay, a configuration or a profile can be.
var treeFile = regexp.MustCompile(`(?i)\.(ya?ml|json)$`)

// revision writes the YAML and JSON files of a revision into a folder, once, and returns it with the path of name in it.
func (v *diffSides) revision(side *diffSide, revision, name string) (tree, inTree string, err error) {
	if revision == "" || strings.HasPrefix(revision, "-") {
		return "", "", fmt.Errorf("%q is not the name of a revision", revision)
	}
	commit, err := v.git(nil, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if err != nil {
		return "", "", fmt.Errorf("%q names no revision here (%w); fetch it with git fetch, or check out with the whole history", revision, err)
	}
	if strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") || name == "." {
		prefix, err := v.git(nil, "rev-parse", "--show-prefix")
		if err != nil {
			return "", "", err
		}
		name = path.Join(strings.TrimSpace(string(prefix)), name)
	}
	if name = path.Clean(name); !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", "", fmt.Errorf("%q leaves the repository", name)
	}
	hash := strings.TrimSpace(string(commit))
	if tree = v.trees[hash]; tree == "" {
		if tree, err = v.folder("git-" + hash); err != nil {
			return "", "", err
		}
		tree = filepath.ToSlash(tree)
		if err := v.writeTree(hash, tree); err != nil {
			return "", "", err
		}
		v.trees[hash] = tree
	}
	side.places = append(side.places, place{tree, revision + ":"})
	if _, err := os.Stat(path.Join(tree, name)); err != nil {
		return "", "", fmt.Errorf("the revision has no folder and no YAML or JSON file of that name")
	}
	return tree, name, nil
}

// git runs git in the working directory.
func (v *diffSides) git(stdin io.Reader, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(v.ctx, "git", args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &out, &errs
	err := cmd.Run()
	switch said := strings.TrimSpace(errs.String()); {
	case errors.Is(err, exec.ErrNotFound):
		return nil, errors.New("git is not installed; write the file by other means and name it")
	case err != nil && said != "":
		return nil, fmt.Errorf("git %s: %s", args[0], said)
	case err != nil:
		return nil, fmt.Errorf("git %s: %w", args[0], err)
	}
	return out.Bytes(), nil
}

// blob is a file of a revision.
type blob struct{ hash, name string }

// writeTree writes the files of a commit below folder. Links and submodules are left out, and nothing is written outside.
func (v *diffSides) writeTree(commit, folder string) error {
	listing, err := v.git(nil, "ls-tree", "-r", "-z", "--full-tree", commit)
	if err != nil {
		return err
	}
	blobs := regularFiles(listing)
	if len(blobs) > maxTreeFiles {
		return fmt.Errorf("the revision has more than %d YAML and JSON files; write what is needed into a folder by git archive and name that", maxTreeFiles)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	hashes := new(bytes.Buffer)
	for _, b := range blobs {
		fmt.Fprintln(hashes, b.hash)
	}
	cmd := exec.CommandContext(v.ctx, "git", "cat-file", "--batch")
	cmd.Stdin = hashes
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("git cat-file: %w", err)
	}
	failed := writeBlobs(root, blobs, bufio.NewReader(out))
	if failed != nil {
		cmd.Process.Kill() //nolint:errcheck // it may have ended by itself
	}
	return errors.Join(failed, ifNil(failed, cmd.Wait()))
}

// ifNil is second where there is no first error, which is then its cause.
func ifNil(first, second error) error {
	if first != nil {
		return nil
	}
	return second
}

// regularFiles reads what git ls-tree -z prints: "MODE TYPE HASH\tNAME" and a zero byte each.
func regularFiles(listing []byte) []blob {
	var blobs []blob
	for entry := range bytes.SplitSeq(listing, []byte{0}) {
		about, name, ok := strings.Cut(string(entry), "\t")
		fields := strings.Fields(about)
		if ok && len(fields) == 3 && slices.Contains([]string{"100644", "100755"}, fields[0]) && treeFile.MatchString(name) && filepath.IsLocal(filepath.FromSlash(name)) {
			blobs = append(blobs, blob{fields[2], name})
		}
	}
	return blobs
}

// writeBlobs reads what git cat-file --batch prints: "HASH TYPE SIZE", a newline, the content and a newline each.
func writeBlobs(root *os.Root, blobs []blob, from *bufio.Reader) error {
	left := int64(maxTreeBytes)
	for _, b := range blobs {
		about, err := from.ReadString('\n')
		if err != nil {
			return fmt.Errorf("git cat-file ended early: %w", err)
		}
		fields := strings.Fields(about)
		if len(fields) != 3 {
			return fmt.Errorf("%s: git cat-file says %q", b.name, strings.TrimSpace(about))
		}
		size, err := strconv.ParseInt(fields[2], 10, 64)
		if err != nil || size < 0 {
			return fmt.Errorf("%s: git cat-file says %q", b.name, strings.TrimSpace(about))
		}
		if left -= size; left < 0 {
			return fmt.Errorf("the revision has more than %d MiB of YAML and JSON; write what is needed into a folder by git archive and name that", maxTreeBytes>>20)
		}
		if err := writeBlob(root, b.name, io.LimitReader(from, size)); err != nil {
			return err
		}
		if _, err := from.Discard(1); err != nil {
			return fmt.Errorf("git cat-file ended early: %w", err)
		}
	}
	return nil
}

func writeBlob(root *os.Root, name string, content io.Reader) error {
	name = filepath.FromSlash(name)
	if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	file, err := root.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Close())
}
