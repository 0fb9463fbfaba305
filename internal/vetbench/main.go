//go:build unix

// Command vetbench measures idemvet against go vet in a module, in the same state of caches.
//
// In: folders of modules whose dependencies compile. Out: for each a line with the median wall time of "go vet ./..." and of "go vet -vettool=idemvet ./..." and their ratio, when everything is compiled and no result of either is cached, and when all are; with the largest process of each.
// It must never know what idemvet looks for.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"
)

func main() {
	runs := flag.Int("runs", 3, "measurements of each kind; medians are printed")
	patterns := flag.String("packages", "./...", "a package pattern")
	other := flag.String("staticcheck", "", "path of a staticcheck binary, to be measured too")
	flag.Parse()
	if flag.NArg() == 0 || *runs < 1 {
		fmt.Fprintln(os.Stderr, "usage: vetbench [-runs 3] [-packages ./...] [-staticcheck PATH] DIR...")
		os.Exit(2)
	}
	if err := run(*runs, *patterns, *other, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "vetbench:", err)
		os.Exit(1)
	}
}

func run(runs int, patterns, other string, dirs []string) error {
	temporary, err := os.MkdirTemp("", "vetbench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	tool := filepath.Join(temporary, "idemvet")
	if out, err := exec.Command("go", "build", "-o", tool, "./cmd/idemvet").CombinedOutput(); err != nil {
		return fmt.Errorf("idemvet does not build (run vetbench in its repository): %w\n%s", err, out)
	}
	fmt.Printf("%s, %d processors, medians of %d\n\n", runtime.Version(), runtime.NumCPU(), runs)
	fmt.Println("| module | state of results | go vet | idemvet | ratio | largest process: go vet | idemvet |")
	fmt.Println("|---|---|---|---|---|---|---|")
	for _, dir := range dirs {
		b := bench{dir: dir, patterns: patterns, tool: tool, runs: runs, start: time.Now().UnixNano()}
		if err := b.compare(); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		if err := b.alone(other, temporary); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
	}
	return nil
}

type bench struct {
	dir, patterns, tool string
	runs                int
	start               int64
	count               int
}

type usage struct {
	wall  time.Duration
	bytes int64
}

func (b *bench) compare() error {
	tools := [2]func() []string{
		func() []string { return []string{"-printf.funcs=" + b.state()} },
		func() []string { return []string{"-vettool=" + b.tool, "-cachekey=" + b.state()} },
	}
	var cold, warm [2][]usage
	for i, flags := range tools {
		// Compiles what is not compiled yet.
		if _, err := b.vet(flags()); err != nil {
			return err
		}
		for range b.runs {
			same := flags()
			first, err := b.vet(same)
			if err != nil {
				return err
			}
			second, err := b.vet(same)
			if err != nil {
				return err
			}
			cold[i], warm[i] = append(cold[i], first), append(warm[i], second)
		}
	}
	b.line("none cached", median(cold[0]), median(cold[1]))
	b.line("all cached", median(warm[0]), median(warm[1]))
	return nil
}

// state gives a value that no run had before. The go command analyses every package anew, those of dependencies and the standard library included, when a flag of the tool differs; so each tool gets one that changes nothing else.
func (b *bench) state() string {
	b.count++
	return fmt.Sprintf("vetbench%d", b.start+int64(b.count))
}

func (b *bench) vet(flags []string) (usage, error) {
	return measure(b.dir, "go", append(append([]string{"vet"}, flags...), b.patterns)...)
}

// alone measures the tools that load packages themselves; they cache nothing, or in a folder of their own that is empty.
func (b *bench) alone(other, temporary string) error {
	own, err := measure(b.dir, b.tool, b.patterns)
	if err != nil {
		return err
	}
	fmt.Printf("| %s | idemvet alone | | %s | | | %s |\n", filepath.Base(b.dir), seconds(own), mebibytes(own))
	if other == "" {
		return nil
	}
	cache, err := os.MkdirTemp(temporary, "staticcheck")
	if err != nil {
		return err
	}
	if err := os.Setenv("STATICCHECK_CACHE", cache); err != nil {
		return err
	}
	foreign, err := measure(b.dir, other, b.patterns)
	if err != nil {
		return err
	}
	fmt.Printf("| %s | staticcheck, none cached | | %s | | | %s |\n", filepath.Base(b.dir), seconds(foreign), mebibytes(foreign))
	return nil
}

// measure runs a command; that it finds something is no failure.
func measure(dir, name string, args ...string) (usage, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	start := time.Now()
	out, err := cmd.CombinedOutput()
	u := usage{wall: time.Since(start)}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return u, fmt.Errorf("%w\n%s", err, out)
	}
	if resources, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		u.bytes = int64(resources.Maxrss) //nolint:unconvert // of the largest process, children included; it is an int32 on some machines
		if runtime.GOOS != "darwin" {     // which counts in bytes; others in KiB
			u.bytes *= 1024
		}
	}
	return u, nil
}

func median(list []usage) usage {
	slices.SortFunc(list, func(a, b usage) int { return int(a.wall - b.wall) })
	return list[len(list)/2]
}

func (b *bench) line(state string, vet, ours usage) {
	fmt.Printf("| %s | %s | %s | %s | %.2f | %s | %s |\n", filepath.Base(b.dir), state, seconds(vet), seconds(ours), ours.wall.Seconds()/vet.wall.Seconds(), mebibytes(vet), mebibytes(ours))
}

func seconds(u usage) string   { return fmt.Sprintf("%.2f s", u.wall.Seconds()) }
func mebibytes(u usage) string { return fmt.Sprintf("%d MiB", u.bytes>>20) }
