# Every target is a line or two of plain Go commands: copy them where there is no make.

# Two build flavours exist, and no third may join them: PLAIN (what ships, what lint and benchmarks read) and
# -race (what tests run). Each flavour compiles every dependency again, so -cover, other tags and other
# settings of cgo or -trimpath would cost minutes on a small machine. (Go's fuzzer brings its own.)
PLAIN := CGO_ENABLED=0 GOFLAGS="$(strip $(shell go env GOFLAGS) -trimpath)"

# The race detector needs a C compiler; where none is, tests run without it and say so. CI never goes without.
CC_FOUND := $(shell command -v $$(go env CC))
RACE     := $(if $(filter true,$(CI))$(CC_FOUND),-race)

# The linter has a go.mod of its own, so that its dependencies never become ours.
LINT := go tool -modfile=tools/golangci-lint/go.mod golangci-lint

# Only packages that compare goldens know the -update flag.
GOLDEN   := github.com/vperf/vperf/internal/golden
WITH_GOLDEN = $(shell go list -f '{{range .TestImports}}{{if eq . "$(GOLDEN)"}}{{$$.ImportPath}} {{end}}{{end}}{{range .XTestImports}}{{if eq . "$(GOLDEN)"}}{{$$.ImportPath}} {{end}}{{end}}' ./...)

# What takes minutes under the race detector and finds no races there, since it works one process after the other,
# is run without it.
LONG := ^(TestEveryRemedy|TestKilled|TestScripts|TestMonotone|TestNeedsAreEnough|TestExamplesCatchMutants|TestTruthOfADay|TestTruthAtAnyHour|TestAskingOnTheWayChangesNothing|TestFewCountersSayTheSame|TestFillWhileSessionsExpire|TestHealthyEstatesHaveNoFinding)$$

FUZZTIME ?= 10s

.DEFAULT_GOAL := help
.PHONY: help build test lint golden bench fuzz clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## Build bin/vperf
	$(PLAIN) go build -o bin/vperf ./cmd/vperf

test: ## Run every test under the race detector, then lint: the check a change must pass
	@$(if $(RACE),:,echo "skipped: race detector (no C compiler: $(shell go env CC))")
	@for t in prometheus promtool; do command -v $$t >/dev/null || echo "skipped: the part of ./deploy that takes $$t (not found here; Debian's package prometheus has it)"; done
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || echo "skipped: the report in a browser (none found here; Debian's package chromium is one)"
	go test $(RACE) -timeout 20m ./...
	$(if $(RACE),$(PLAIN) go test -timeout 20m -run '$(LONG)' ./internal/audit ./internal/cli ./internal/simfleet ./internal/vsphere/... ./pkg/advice)
	@if [ "$$CI" = true ] || why=$$($(PLAIN) $(LINT) version 2>&1); then $(MAKE) --no-print-directory lint; \
	else echo "skipped: golangci-lint (cannot be built here: $$(echo "$$why" | tail -n 1))"; fi

lint: ## Run golangci-lint
	$(PLAIN) $(LINT) run

golden: ## Rewrite generated files and goldens from what the code says now; review the diff
	go test $(RACE) $(sort $(WITH_GOLDEN)) -update

bench: ## Run every benchmark
	$(PLAIN) go test -run '^$$' -bench . -benchmem ./...

fuzz: ## Run every fuzz target for FUZZTIME (10s)
	@grep -rEo --include='*_test.go' '^func Fuzz\w+' . | while IFS=: read -r file func; do \
	$(PLAIN) go test -run '^$$' -fuzz "^$${func#func }$$" -fuzztime $(FUZZTIME) "$$(dirname "$$file")" </dev/null || exit 1; done

clean: ## Remove what was built
	rm -rf bin
