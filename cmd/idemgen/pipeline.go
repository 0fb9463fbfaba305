package main

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/idemgen/idemgen/generator"
	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/output"
	"github.com/idemgen/idemgen/runtime/policy"
)

// input is what the generator needs of a project. done takes the progress line away and is called before anything is
// printed.
func (s *session) input(p project) (in generator.Input, done func()) {
	line := s.newProgress()
	in = generator.Input{Config: p.config, Dir: p.dir, Now: time.Now(), Progress: line.say}
	if folder := p.config.Templates; folder != "" {
		folder = filepath.FromSlash(folder)
		if !filepath.IsAbs(folder) {
			folder = filepath.Join(p.dir, folder)
		}
		in.Templates = os.DirFS(folder)
	}
	return in, line.end
}

// await runs work, which may take seconds and cannot be interrupted itself, but returns as soon as ctx is done. Nothing
// that is awaited writes, so it may be left behind by a process that is about to end.
func await[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type ended struct {
		value T
		err   error
	}
	result := make(chan ended, 1)
	go func() {
		value, err := work()
		result <- ended{value, err}
	}()
	select {
	case r := <-result:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

// runGenerator runs the whole generator in memory.
func (s *session) runGenerator(ctx context.Context, p project, dir *output.Dir) ([]output.File, diag.List, error) {
	in, done := s.input(p)
	defer done()
	in.Files = dir.FS()
	type generated struct {
		files []output.File
		found diag.List
	}
	g, err := await(ctx, func() (generated, error) {
		files, found, err := generator.Run(ctx, in)
		return generated{files, found}, err
	})
	return g.files, g.found, err
}

// load reads the document only.
func (s *session) load(ctx context.Context, p project) (*policy.Document, diag.List, error) {
	in, done := s.input(p)
	defer done()
	type loaded struct {
		doc   *policy.Document
		found diag.List
	}
	l, err := await(ctx, func() (loaded, error) {
		doc, found, err := generator.Load(in)
		return loaded{doc, found}, err
	})
	return l.doc, l.found, err
}
