//go:build unix

// Soak runs the crash trials in thousands, then the service under load for half an hour with kills, and prints what came of
// it. It ends with 1 where a promise was not kept or memory grew.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/idemgen/idemgen/internal/crash"
)

func main() {
	crash.RunService()
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

func run() error {
	trials := flag.Int("trials", 2000, "how many crash trials; 0: none")
	seed := flag.Uint64("seed", crash.NewSeed(), "what the trials are made of")
	workers := flag.Int("workers", 8, "how many trials of one provider are under way at a time")
	duration := flag.Duration("load", 30*time.Minute, "how long the service is under load; 0: not at all")
	rate := flag.Int("rate", 500, "how many requests arrive a second")
	first := flag.Duration("first", 5*time.Minute, "when memory is looked at first, to compare the end with")
	kill := flag.Duration("kill", 15*time.Second, "how long a process lives under load, on average")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	var errs []error
	if *trials > 0 {
		errs = append(errs, crashes(ctx, crash.Options{Trials: *trials, Seed: *seed, Workers: *workers}))
	}
	if *duration > 0 {
		errs = append(errs, load(ctx, crash.LoadOptions{
			Duration: *duration, Rate: *rate, Lease: 5 * time.Second, KillEvery: *kill,
			SampleEvery: max(*duration/30, time.Second), First: min(*first, *duration/6),
		}))
	}
	return errors.Join(errs...)
}

func crashes(ctx context.Context, o crash.Options) error {
	fmt.Printf("%d trials with seed %d\n", o.Trials, o.Seed)
	o.Progress = func(done, trials int) {
		if done%100 == 0 {
			fmt.Printf("%d of %d\n", done, trials)
		}
	}
	report, err := crash.Run(ctx, o)
	if err != nil {
		return err
	}
	fmt.Println(report)
	for _, v := range report.Violations {
		fmt.Printf("%v\n\t%q\n", v, v.Log)
	}
	if n := len(report.Violations); n > 0 {
		return fmt.Errorf("%d promises were not kept in the trials", n)
	}
	return nil
}

func load(ctx context.Context, o crash.LoadOptions) error {
	fmt.Printf("%d requests a second for %v\n", o.Rate, o.Duration)
	o.Progress = func(s crash.Sample) { fmt.Println(s) }
	report, err := crash.Load(ctx, o)
	if err != nil {
		return err
	}
	fmt.Println(report)
	for _, v := range report.Violations {
		fmt.Println(v)
	}
	if n := len(report.Violations); n > 0 {
		return fmt.Errorf("%d promises were not kept under load", n)
	}
	return report.Grown()
}
