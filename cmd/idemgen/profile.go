package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
)

// profile measures idemgen itself; its flags are hidden.
type profile struct {
	cpu, memory string
	file        *os.File
}

func (p *profile) start() error {
	if p.cpu == "" {
		return nil
	}
	file, err := os.Create(p.cpu)
	if err != nil {
		return fmt.Errorf("--cpuprofile: %w", err)
	}
	p.file = file
	return pprof.StartCPUProfile(file)
}

func (p *profile) stop() error {
	var failed error
	if p.file != nil {
		pprof.StopCPUProfile()
		failed = p.file.Close()
		p.file = nil
	}
	if p.memory == "" {
		return failed
	}
	file, err := os.Create(p.memory)
	if err != nil {
		return errors.Join(failed, fmt.Errorf("--memprofile: %w", err))
	}
	runtime.GC()
	return errors.Join(failed, pprof.WriteHeapProfile(file), file.Close())
}
