package output

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"
)

const head = "// " + Marker + "\n\n"

func goFile(name, body string) File { return File{Path: name, Content: []byte(head + body)} }

// folder is a test's root with what lies in it.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		put(t, root, name, content)
	}
	return root
}

func put(t *testing.T, root, name, content string) {
	t.Helper()
	file := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, root, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// names lists everything in root, so that a test sees temporary files and folders that were left over.
func names(t *testing.T, root string) string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(root, func(p string, entry os.DirEntry, err error) error {
		if err == nil && p != root {
			rel, _ := filepath.Rel(root, p)
			all = append(all, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, " ")
}

func open(t *testing.T, root string) *Dir {
	t.Helper()
	dir, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dir.Close() })
	return dir
}

func plan(t *testing.T, root string, files ...File) *Plan {
	t.Helper()
	p, err := open(t, root).Plan(DefaultManifest, files)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func write(t *testing.T, root string, files ...File) *Plan {
	t.Helper()
	p := plan(t, root, files...)
	if err := p.Write(context.Background()); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestWriteCreatesUpdatesAndDeletes(t *testing.T) {
	root := folder(t, nil)
	write(t, root, goFile("gen/a.go", "package a\n"), goFile("gen/b.go", "package b\n"))
	if got, want := names(t, root), ".idemgen.json gen gen/a.go gen/b.go"; got != want {
		t.Fatalf("after the first run: %s, want %s", got, want)
	}
	p := write(t, root, goFile("gen/a.go", "package a2\n"), goFile("gen/sub/c.go", "package c\n"))
	var actions []string
	for _, c := range p.Changes {
		actions = append(actions, string(c.Action)+" "+c.Path)
	}
	if got, want := strings.Join(actions, ", "), "update gen/a.go, delete gen/b.go, create gen/sub/c.go"; got != want {
		t.Errorf("changes: %s, want %s", got, want)
	}
	if got, want := names(t, root), ".idemgen.json gen gen/a.go gen/sub gen/sub/c.go"; got != want {
		t.Errorf("after the second run: %s, want %s", got, want)
	}
	if got, want := get(t, root, "gen/a.go"), head+"package a2\n"; got != want {
		t.Errorf("a.go holds %q, want %q", got, want)
	}
}

func TestSecondRunTouchesNothing(t *testing.T) {
	root := folder(t, nil)
	files := []File{goFile("a.go", "package a\n"), {Path: "m/1.sql", Content: []byte("x"), Policy: Issued}, {Path: "main.go", Content: []byte("x"), Policy: Once}}
	write(t, root, files...)
	past := time.Now().Add(-time.Hour).Truncate(time.Second)
	for _, name := range []string{"a.go", "m/1.sql", "main.go", DefaultManifest} {
		if err := os.Chtimes(filepath.Join(root, name), past, past); err != nil {
			t.Fatal(err)
		}
	}
	p := write(t, root, files...)
	if p.Stale() || len(p.Diff()) != 0 {
		t.Errorf("stale after a run: %s", p.Diff())
	}
	for _, name := range []string{"a.go", "m/1.sql", "main.go", DefaultManifest} {
		if info, err := os.Stat(filepath.Join(root, name)); err != nil || !info.ModTime().Equal(past) {
			t.Errorf("%s was written again (%v, %v)", name, info.ModTime(), err)
		}
	}
}

// A checkout with CRLF line ends, as git makes it on Windows, is neither stale nor edited.
func TestCheckedOutWithCRLF(t *testing.T) {
	root := folder(t, nil)
	write(t, root, goFile("a.go", "package a\n"), goFile("b.go", "package b\n"), File{Path: "m/1.sql", Content: []byte("a\nb\n"), Policy: Issued})
	for _, name := range []string{"a.go", "b.go", "m/1.sql", DefaultManifest} {
		put(t, root, name, strings.ReplaceAll(get(t, root, name), "\n", "\r\n"))
	}
	same := []File{goFile("a.go", "package a\n"), goFile("b.go", "package b\n"), {Path: "m/1.sql", Content: []byte("a\nb\n"), Policy: Issued}}
	if p := plan(t, root, same...); p.Stale() {
		t.Errorf("stale:\n%s", p.Diff())
	}
	p := write(t, root, goFile("a.go", "package a\n"))
	if got, want := names(t, root), ".idemgen.json a.go m m/1.sql"; got != want || len(p.Kept) > 0 {
		t.Errorf("left: %s, want %s; kept %v", got, want, p.Kept)
	}
}

func TestManifestIsIndependentOfOrder(t *testing.T) {
	one, two := folder(t, nil), folder(t, nil)
	a, b := goFile("a.go", "package a\n"), goFile("b.go", "package b\n")
	write(t, one, a, b)
	write(t, two, b, a)
	if get(t, one, DefaultManifest) != get(t, two, DefaultManifest) {
		t.Errorf("manifests differ:\n%s\n%s", get(t, one, DefaultManifest), get(t, two, DefaultManifest))
	}
	if !HasMarker([]byte(get(t, one, DefaultManifest))) {
		t.Error("the manifest does not say that it is generated")
	}
}

func TestRefusals(t *testing.T) {
	for name, test := range map[string]struct {
		disk map[string]string
		link map[string]string
		file File
		want string
	}{
		"hand-written file":  {disk: map[string]string{"a.go": "package a\n"}, file: goFile("a.go", ""), want: "a.go is there already and was not generated by idemgen"},
		"empty file":         {disk: map[string]string{"a.go": ""}, file: goFile("a.go", ""), want: "a.go is there already"},
		"talks of marker":    {disk: map[string]string{"a.md": "We write " + Marker + " on top.\n"}, file: goFile("a.md", ""), want: "a.md is there already"},
		"edited migration":   {disk: map[string]string{"m/1.sql": "a"}, file: File{Path: "m/1.sql", Content: []byte("b"), Policy: Issued}, want: "m/1.sql is an issued migration"},
		"no marker":          {file: File{Path: "a.go", Content: []byte("package a\n")}, want: "a.go was generated without its marker"},
		"parent":             {file: goFile("../a.go", ""), want: `"../a.go" leaves the folder`},
		"hidden parent":      {file: goFile("x/../../a.go", ""), want: "leaves the folder"},
		"dot":                {file: goFile("./a.go", ""), want: "leaves the folder"},
		"absolute":           {file: goFile("/etc/a.go", ""), want: `"/etc/a.go" is absolute`},
		"backslash":          {file: goFile(`..\a.go`, ""), want: "backslash"},
		"newline":            {file: goFile("a\n.go", ""), want: `"a\n.go" has a control character`},
		"nul":                {file: goFile("a\x00.go", ""), want: "control character"},
		"no name":            {file: goFile("", ""), want: "has no name"},
		"the manifest":       {file: goFile(DefaultManifest, ""), want: "would be written twice"},
		"a folder":           {disk: map[string]string{"a.go/x": ""}, file: goFile("a.go", ""), want: "a.go is not a regular file"},
		"a file as folder":   {disk: map[string]string{"gen": "x"}, file: goFile("gen/a.go", ""), want: "gen/a.go cannot be read: not a directory"},
		"symbolic link":      {link: map[string]string{"a.go": "b.go"}, disk: map[string]string{"b.go": head}, file: goFile("a.go", "new"), want: "a.go is a symbolic link"},
		"folder linked away": {link: map[string]string{"gen": os.TempDir()}, file: goFile("gen/a.go", "new"), want: "gen/a.go leads out of the folder"},
		"bad manifest":       {disk: map[string]string{DefaultManifest: "<<<<<<<"}, file: goFile("a.go", ""), want: ".idemgen.json is not a manifest"},
		"later manifest":     {disk: map[string]string{DefaultManifest: `{"version": 9}`}, file: goFile("a.go", ""), want: "has version 9"},
	} {
		t.Run(name, func(t *testing.T) {
			root := folder(t, test.disk)
			for name, target := range test.link {
				if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
					t.Skip(err)
				}
			}
			before := names(t, root)
			p, err := open(t, root).Plan(DefaultManifest, []File{goFile("fine.go", ""), test.file})
			if err == nil {
				t.Fatalf("planned %v", p.Changes)
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %q, want it to hold %q", err, test.want)
			}
			var refusal *Refusal
			if !errors.As(err, &refusal) {
				t.Errorf("%T is not a Refusal", err)
			}
			if after := names(t, root); after != before {
				t.Errorf("the folder changed: %s, was %s", after, before)
			}
		})
	}
}

func TestAllRefusalsAreReported(t *testing.T) {
	root := folder(t, map[string]string{"a.go": "mine", "b.go": "mine"})
	_, err := open(t, root).Plan(DefaultManifest, []File{goFile("b.go", ""), goFile("a.go", "")})
	var all Refusals
	if !errors.As(err, &all) || len(all) != 2 || all[0].Path != "a.go" {
		t.Errorf("got %v, want two sorted refusals", err)
	}
}

func TestDuplicatePathsByCase(t *testing.T) {
	_, err := open(t, folder(t, nil)).Plan(DefaultManifest, []File{goFile("a.go", ""), goFile("A.go", "")})
	if err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("got %v", err)
	}
}

func TestStaleFiles(t *testing.T) {
	root := folder(t, nil)
	write(t, root, goFile("gone.go", ""), goFile("edited.go", ""), goFile("adopted.go", ""), goFile("a.go", ""),
		File{Path: "m/1.sql", Content: []byte("x"), Policy: Issued}, File{Path: "main.go", Content: []byte("x"), Policy: Once})
	put(t, root, "edited.go", head+"// mine\n")
	put(t, root, "adopted.go", "package mine\n")
	put(t, root, "stranger.go", head)
	p := write(t, root, goFile("a.go", ""))
	if got, want := names(t, root), ".idemgen.json a.go adopted.go edited.go m m/1.sql main.go stranger.go"; got != want {
		t.Errorf("left: %s\nwant: %s", got, want)
	}
	if strings.Join(p.Kept, " ") != "edited.go" {
		t.Errorf("kept %v, want the edited file", p.Kept)
	}
	if p := plan(t, root, goFile("a.go", "")); len(p.Kept) != 1 || !p.Stale() {
		t.Error("the edited file is forgotten by the next run")
	}
}

func TestSharedFilesAreRefreshed(t *testing.T) {
	root := folder(t, map[string]string{"m/atlas.sum": "h1:old\n"})
	write(t, root, File{Path: "m/atlas.sum", Content: []byte("h1:new\n"), Policy: Shared})
	if got := get(t, root, "m/atlas.sum"); got != "h1:new\n" {
		t.Errorf("atlas.sum holds %q", got)
	}
	write(t, root)
	if got := get(t, root, "m/atlas.sum"); got != "h1:new\n" {
		t.Errorf("atlas.sum holds %q after it was not asked for", got)
	}
}

// A hard link stands for a file system that does not tell upper from lower case.
func TestRenamedInCaseOnly(t *testing.T) {
	root := folder(t, nil)
	write(t, root, goFile("A.go", ""))
	write(t, root, goFile("a.go", ""))
	if got, want := names(t, root), ".idemgen.json a.go"; got != want {
		t.Errorf("left: %s, want %s", got, want)
	}
	if err := os.Link(filepath.Join(root, "a.go"), filepath.Join(root, "A.go")); err != nil {
		t.Skip(err)
	}
	p := plan(t, root, goFile("A.go", ""))
	for _, c := range p.Changes {
		t.Errorf("%s %s", c.Action, c.Path)
	}
}

func TestManifestIsSortedWithKeptFiles(t *testing.T) {
	root := folder(t, nil)
	write(t, root, goFile("b.go", ""), goFile("c.go", ""))
	put(t, root, "b.go", head+"// mine\n")
	write(t, root, goFile("a.go", ""), goFile("c.go", ""))
	text := get(t, root, DefaultManifest)
	if a, b, c := strings.Index(text, `"a.go"`), strings.Index(text, `"b.go"`), strings.Index(text, `"c.go"`); a < 0 || b < a || c < b {
		t.Errorf("not sorted:\n%s", text)
	}
}

func TestHostileManifestDeletesNothingOutside(t *testing.T) {
	outer := folder(t, map[string]string{"victim.go": head, "root/own.go": head})
	root := filepath.Join(outer, "root")
	put(t, root, DefaultManifest, `{"version":1,"files":[{"path":"../victim.go","sha256":"`+hashOf([]byte(head))+`"},{"path":"own.go","sha256":"`+hashOf([]byte(head))+`"}]}`)
	write(t, root)
	if got, want := names(t, outer), "root root/.idemgen.json victim.go"; got != want {
		t.Errorf("left: %s, want %s", got, want)
	}
}

func TestManifestInSubfolder(t *testing.T) {
	root := folder(t, nil)
	dir := open(t, root)
	run := func(files ...File) {
		t.Helper()
		p, err := dir.Plan("gen/api/.idemgen.json", files)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Write(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	run(goFile("gen/api/a.go", ""), goFile("docs/x.md", ""), goFile("gen/b.go", ""))
	for _, want := range []string{`"path":"a.go"`, `"path":"../../docs/x.md"`, `"path":"../b.go"`} {
		if !strings.Contains(get(t, root, "gen/api/.idemgen.json"), want) {
			t.Errorf("%s is not in the manifest", want)
		}
	}
	run(goFile("gen/api/a.go", ""))
	if got, want := names(t, root), "docs gen gen/api gen/api/.idemgen.json gen/api/a.go"; got != want {
		t.Errorf("left: %s, want %s", got, want)
	}
}

func TestDiff(t *testing.T) {
	root := folder(t, nil)
	write(t, root, goFile("b.go", "one\ntwo\n"), goFile("c.go", ""))
	got := string(plan(t, root, goFile("a.go", "new\n"), goFile("b.go", "one\n2\n")).Diff())
	want := `--- /dev/null
+++ b/a.go
@@ -0,0 +1,3 @@
+// Code generated by idemgen. DO NOT EDIT.
+
+new
--- a/b.go
+++ b/b.go
@@ -1,4 +1,4 @@
 // Code generated by idemgen. DO NOT EDIT.
 
 one
-two
+2
--- a/c.go
+++ /dev/null
@@ -1,2 +0,0 @@
-// Code generated by idemgen. DO NOT EDIT.
-
`
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestDiffShowsManifestAlone(t *testing.T) {
	root := folder(t, nil)
	write(t, root, goFile("a.go", ""))
	if err := os.Remove(filepath.Join(root, DefaultManifest)); err != nil {
		t.Fatal(err)
	}
	p := plan(t, root, goFile("a.go", ""))
	if !p.Stale() || !strings.Contains(string(p.Diff()), "+++ b/.idemgen.json") {
		t.Errorf("stale %v, diff:\n%s", p.Stale(), p.Diff())
	}
}

func TestModeIsKept(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	root := folder(t, map[string]string{"a.go": head})
	if err := os.Chmod(filepath.Join(root, "a.go"), 0o600); err != nil {
		t.Fatal(err)
	}
	write(t, root, goFile("a.go", "new"))
	if info, err := os.Stat(filepath.Join(root, "a.go")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestInterruptedRunLeavesNothing(t *testing.T) {
	root := folder(t, map[string]string{"a.go": head})
	before := names(t, root)
	ctx, cancel := context.WithCancel(context.Background())
	p := plan(t, root, goFile("a.go", "new"), goFile("x/y/b.go", ""))
	cancel()
	if err := p.Write(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	if after := names(t, root); after != before || get(t, root, "a.go") != head {
		t.Errorf("left: %s, was %s", after, before)
	}
}

// A folder that cannot be made is provoked by a file that appears, after planning, where the folder should go.
func TestFailureWhileStagingLeavesNothing(t *testing.T) {
	root := folder(t, map[string]string{"a.go": head})
	p := plan(t, root, goFile("a.go", "new"), goFile("b/c/new.go", ""), goFile("x/b.go", ""))
	put(t, root, "x", "in the way")
	err := p.Write(context.Background())
	if err == nil || !strings.HasPrefix(err.Error(), "nothing was changed: cannot write x/b.go: ") {
		t.Errorf("error %v", err)
	}
	if got, want := names(t, root), "a.go x"; got != want || get(t, root, "a.go") != head {
		t.Errorf("left: %s, want %s", got, want)
	}
}

// A rename that fails in the middle is provoked by a folder that appears, after planning, where a file should go.
func TestFailureInTheMiddleIsUndone(t *testing.T) {
	root := folder(t, nil)
	write(t, root, goFile("a.go", "old"), goFile("c.go", ""))
	p := plan(t, root, goFile("a.go", "new"), goFile("b/new.go", ""), goFile("z.go", ""))
	put(t, root, "z.go/in/the/way", "")
	manifest := get(t, root, DefaultManifest)
	err := p.Write(context.Background())
	if err == nil || !strings.Contains(err.Error(), "nothing was changed: cannot create z.go") {
		t.Errorf("error %v", err)
	}
	if got, want := names(t, root), ".idemgen.json a.go c.go z.go z.go/in z.go/in/the z.go/in/the/way"; got != want {
		t.Errorf("left: %s, want %s", got, want)
	}
	if get(t, root, "a.go") != head+"old" || get(t, root, DefaultManifest) != manifest {
		t.Error("old content was not put back")
	}
}

func TestReadOnlyFolder(t *testing.T) {
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("root writes everywhere")
	}
	root := folder(t, nil)
	if err := os.Chmod(root, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(root, 0o755) })
	err := plan(t, root, goFile("a.go", "")).Write(context.Background())
	if err == nil || err.Error() != "nothing was changed: cannot write a.go: permission denied" {
		t.Errorf("error %v", err)
	}
}

func TestTemporaryFileOfKilledRunIsReplaced(t *testing.T) {
	root := folder(t, map[string]string{"victim": "precious"})
	temporary := filepath.Join(root, ".idemgen-"+hashOf([]byte("a.go"))[:12]+".tmp")
	if err := os.Symlink("victim", temporary); err != nil {
		t.Skip(err)
	}
	write(t, root, goFile("a.go", ""))
	if got := get(t, root, "victim"); got != "precious" {
		t.Errorf("a link was written through: %q", got)
	}
	if got, want := names(t, root), ".idemgen.json a.go victim"; got != want {
		t.Errorf("left: %s, want %s", got, want)
	}
}

func TestLockExcludes(t *testing.T) {
	root := folder(t, nil)
	var inside, most int
	var mu sync.Mutex
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			dir, err := Open(root)
			if err != nil {
				t.Error(err)
				return
			}
			defer dir.Close()
			unlock, err := dir.Lock(context.Background())
			if err != nil {
				t.Error(err)
				return
			}
			defer unlock()
			mu.Lock()
			inside++
			most = max(most, inside)
			mu.Unlock()
			time.Sleep(5 * time.Millisecond)
			mu.Lock()
			inside--
			mu.Unlock()
		})
	}
	group.Wait()
	if most != 1 {
		t.Errorf("%d at once held the lock", most)
	}
	if got := names(t, root); got != "" {
		t.Errorf("the lock left %s in the folder", got)
	}
}

func TestLockGivesUpWithItsContext(t *testing.T) {
	root := folder(t, nil)
	unlock, err := open(t, root).Lock(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := open(t, root).Lock(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want DeadlineExceeded", err)
	}
}

func TestHasMarker(t *testing.T) {
	for content, want := range map[string]bool{
		"// " + Marker + "\npackage a\n":                true,
		"// " + Marker + "\r\npackage a\r\n":            true,
		"-- " + Marker:                                  true,
		"# " + Marker:                                   true,
		"---\ntitle: x\n---\n<!-- " + Marker + " -->\n": true,
		"{\n  \"$comment\": \"" + Marker + "\",\n":      true,
		"{\"$comment\":\"" + Marker + "\"}":             true,
		"// Not " + Marker + "\n":                       false,
		"// Code generated by idemgen. DO NOT EDIT":     false,
		"": false,
		strings.Repeat("//\n", markerHead) + "// " + Marker: false,
	} {
		if got := HasMarker([]byte(content)); got != want {
			t.Errorf("HasMarker(%.60q) = %v", content, got)
		}
	}
}

func TestFSReads(t *testing.T) {
	dir := open(t, folder(t, map[string]string{"m/1.sql": "x"}))
	if err := fstest.TestFS(dir.FS(), "m/1.sql"); err != nil {
		t.Error(err)
	}
}

// What another manifest in the folder lists is another configuration's, until that manifest is gone.
func TestFilesOfAnotherConfiguration(t *testing.T) {
	root := folder(t, map[string]string{".hidden.json": "{}", ".broken.json": "{" + Marker, ".folder.json/x": ""})
	dir := open(t, root)
	files := []File{goFile("docs/page.md", "first"), {Path: "shared.md", Content: []byte("x"), Policy: Once}}
	first, err := dir.Plan(".first.json", files)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Write(context.Background()); err != nil {
		t.Fatal(err)
	}
	var refusals Refusals
	if _, err := dir.Plan(".second.json", files); !errors.As(err, &refusals) || len(refusals) != 1 || refusals[0].Path != "docs/page.md" || !strings.Contains(refusals[0].Reason, ".first.json") {
		t.Errorf("%v", err)
	}
	if again, err := dir.Plan(".first.json", files); err != nil || again.Stale() {
		t.Errorf("its own: %v", err)
	}
	if err := os.Remove(filepath.Join(root, ".first.json")); err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Plan(".second.json", files); err != nil {
		t.Error(err)
	}
}
