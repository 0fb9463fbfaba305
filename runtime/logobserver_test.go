package runtime_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime"
)

// Each outcome has the level that its documentation says; a new one has to be thought about here.
func TestLogObserver_Levels(t *testing.T) {
	ctx := context.Background()
	log := func(tell func(runtime.Observer)) string {
		var out bytes.Buffer
		tell(runtime.LogObserver(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))))
		if strings.Count(out.String(), "\n") != 1 {
			t.Errorf("not one entry: %s", out.String())
		}
		return out.String()
	}
	want := map[runtime.Outcome]string{
		"fresh": "DEBUG", "not-kept": "DEBUG", "replayed": "DEBUG", "waited": "DEBUG", "unprotected": "DEBUG",
		"in-progress": "INFO", "mismatch": "INFO", "missing-key": "INFO", "malformed-key": "INFO", "invalid": "INFO",
		"unauthenticated": "INFO", "answer-not-kept": "INFO", "duplicate-effect": "INFO",
		"unavailable": "WARN", "unknown": "WARN", "failed": "WARN", "suspended": "WARN",
	}
	all := constants(t, "observer.go", "Outcome")
	if len(all) != len(want) {
		t.Errorf("%d outcomes, and %d have a level here", len(all), len(want))
	}
	for _, outcome := range all {
		entry := log(func(o runtime.Observer) {
			_, end := o.Request(ctx, "op")
			end(runtime.RequestEvent{Operation: "op", Outcome: outcome, Status: 201, Duration: time.Second, Waited: time.Millisecond, Runs: 2})
		})
		rest := " operation=op outcome=" + string(outcome) + " status=201 duration=1s waited=1ms runs=2\n"
		if !strings.Contains(entry, "level="+want[outcome]+" ") || !strings.HasSuffix(entry, rest) {
			t.Errorf("%s", entry)
		}
	}
	for outcome, level := range map[runtime.StepOutcome]string{
		runtime.StepDone: "DEBUG", runtime.StepStored: "DEBUG", runtime.StepReconciled: "INFO", runtime.StepUnknown: "WARN", runtime.StepFailed: "WARN",
	} {
		entry := log(func(o runtime.Observer) {
			o.Step(ctx, runtime.StepEvent{Operation: "op", Step: "charge", External: true, Outcome: outcome, Duration: time.Second})
		})
		if !strings.Contains(entry, "level="+level) || !strings.HasSuffix(entry, " operation=op step=charge external=true outcome="+string(outcome)+" duration=1s\n") {
			t.Errorf("%s", entry)
		}
	}
	for outcome, level := range map[runtime.RecoveryOutcome]string{
		runtime.RecoveryCompleted: "INFO", runtime.RecoveryReleased: "INFO", runtime.RecoveryYielded: "WARN", runtime.RecoveryLost: "WARN", runtime.RecoveryFailed: "WARN",
	} {
		entry := log(func(o runtime.Observer) {
			o.Recovered(ctx, runtime.RecoveryEvent{Operation: "op", Outcome: outcome, Epoch: 2, Age: time.Minute, Duration: time.Second})
		})
		if !strings.Contains(entry, "level="+level) || !strings.HasSuffix(entry, " operation=op outcome="+string(outcome)+" epoch=2 age=1m0s duration=1s\n") {
			t.Errorf("%s", entry)
		}
	}
	if entry := log(func(o runtime.Observer) { o.LeaseLost(ctx, runtime.LeaseLostEvent{Operation: "op", Epoch: 2}) }); !strings.Contains(entry, "level=WARN") || !strings.HasSuffix(entry, " operation=op epoch=2\n") {
		t.Errorf("%s", entry)
	}
	if entry := log(func(o runtime.Observer) {
		o.LeaseLost(ctx, runtime.LeaseLostEvent{Operation: "op", Epoch: 2, Cause: "closed"})
	}); !strings.HasSuffix(entry, " operation=op epoch=2 cause=closed\n") {
		t.Errorf("%s", entry)
	}
	if entry := log(func(o runtime.Observer) {
		o.WorkLimit(ctx, runtime.WorkLimitEvent{Operation: "op", Epoch: 2, Left: true})
	}); !strings.Contains(entry, "level=WARN") || !strings.HasSuffix(entry, " operation=op epoch=2 left=true\n") {
		t.Errorf("%s", entry)
	}
	for overdue, level := range map[int64]string{0: "DEBUG", 1: "INFO"} {
		entry := log(func(o runtime.Observer) {
			o.Backlog(ctx, runtime.Backlog{InProgress: 3, Overdue: overdue, OldestOverdue: time.Duration(overdue) * time.Second})
		})
		if !strings.Contains(entry, "level="+level) || !strings.Contains(entry, " in_progress=3 overdue=") {
			t.Errorf("%s", entry)
		}
	}
	_, end := runtime.LogObserver(nil).Request(ctx, "op") // slog.Default() does not log debug
	end(runtime.RequestEvent{Outcome: runtime.OutcomeFresh})
}
