# Every target is a line or two of plain Go commands: copy them where there is no make.

# Two build flavours exist, and no third may join them: PLAIN (what ships, what tests, lint and benchmarks read) and
# -race (what make ci runs). Each flavour compiles every dependency again, so -cover, other tags and other
# settings of cgo or -trimpath would cost minutes on a small machine. (Go's fuzzer brings its own.)
PLAIN := CGO_ENABLED=0 GOFLAGS="$(strip $(shell go env GOFLAGS) -trimpath)"

# Tests are many short processes: memory is cheaper than time, up to 2 GiB in each. With the race detector a
# process takes several times as much memory, so MEMORY is not for it.
export GOGC ?= 400
MEMORY := GOGC=1600 GOMEMLIMIT=2GiB

# The race detector needs a C compiler; where none is, make ci says so. CI never goes without.
CC_FOUND := $(shell command -v $$(go env CC))
RACE     := $(if $(filter true,$(CI))$(CC_FOUND),-race)

# The linter has a go.mod of its own, so that its dependencies never become ours.
LINT := go tool -modfile=tools/golangci-lint/go.mod golangci-lint

# So have the tools of releases. Without a remote, goreleaser would not read the commit either.
RELEASER := GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=remote.origin.url GIT_CONFIG_VALUE_0=https://github.com/vperf/vperf.git \
	$(PLAIN) go tool -modfile=tools/goreleaser/go.mod goreleaser release --snapshot --clean

# Only packages that compare goldens know the -update flag.
GOLDEN   := github.com/vperf/vperf/internal/golden
WITH_GOLDEN = $(shell go list -f '{{range .TestImports}}{{if eq . "$(GOLDEN)"}}{{$$.ImportPath}} {{end}}{{end}}{{range .XTestImports}}{{if eq . "$(GOLDEN)"}}{{$$.ImportPath}} {{end}}{{end}}' ./...)

# Proofs that take most of an hour in whole, and of which make prove tries each kind of case.
LONG = $(shell grep -rlE --include='*_test.go' 'proof[.](Sample)?Long' internal pkg | grep -v internal/proof/ | xargs -n1 dirname | sort -u | sed 's|^|./|')

# Packages that the race detector watches: those that start goroutines, synchronise them, run tests in parallel, or call a server or
# the simulator, which does. The others can have no race of their own. Packages that only use them are not needed to find theirs.
# Proofs are left out, and tests that say so (proof.NotRaced): UNRACED, which run plain. At the end of each process the detector waits
# for what still runs: as tests wait for what they start, a tenth of a second is enough, not the default of one.
GO_STATEMENT := '^\s*go (func\(|[a-zA-Z_.]+\()|\.Go\(|\.Parallel\(\)'
CONCURRENT   := ' (sync|sync/atomic|net/http[a-z/]*|github.com/vperf/vperf/internal/(simfleet|source|live|vsphere)[a-z/]*)( |$$)'
MODULE   := github.com/vperf/vperf
RACED     = $(sort $(shell go list -f '{{.ImportPath}} {{join .Imports " "}} {{join .TestImports " "}} {{join .XTestImports " "}}' ./... | grep -E $(CONCURRENT) | cut -d' ' -f1) \
	$(shell grep -rlE --include='*.go' $(GO_STATEMENT) cmd internal pkg deploy | xargs -n1 dirname | sort -u | sed 's|^|$(MODULE)/|'))
SAYS_SO   = $(shell grep -rlE --include='*_test.go' 'proof\.NotRaced|^func TestProve' .)
UNRACED   = ^(TestProve.*$(shell awk '/^func /{split($$2, name, /[^A-Za-z0-9_]/)} /proof.NotRaced/{printf "|%s", name[1]}' $(SAYS_SO)))$$

FUZZTIME  ?= 10s
FUZZCOUNT ?= 10000000x
FUZZPART  ?= 1/1

.DEFAULT_GOAL := help
.PHONY: help build test ci prove prove-long lint golden bench fuzz fuzz-count workflows snapshot image package release-notes clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## Build bin/vperf
	$(PLAIN) go build -o bin/vperf ./cmd/vperf

test: ## Run every test and lint: the check of every change, in minutes
	@command -v promtool >/dev/null || echo "skipped: the part of ./deploy that takes promtool (not found here; Debian's package prometheus has it)"
	$(PLAIN) $(MEMORY) go test -short -vet=off -timeout 40m ./...
	@if [ "$$CI" = true ] || why=$$($(PLAIN) $(LINT) version 2>&1); then $(MAKE) --no-print-directory lint; \
	else echo "skipped: golangci-lint (cannot be built here: $$(echo "$$why" | tail -n 1))"; $(PLAIN) go vet ./...; fi

# The linter vets. What starts no goroutine runs plain, which takes a tenth of the time.
ci: lint ## What .ci/run tests: each test once, under the race detector if its code can have a race
	$(if $(RACE),,@echo "skipped: race detector (no C compiler: $(shell go env CC))")
	GORACE=atexit_sleep_ms=100 go test $(RACE) -vet=off -short -timeout 40m -skip '^TestProve' $(RACED)
	$(PLAIN) $(MEMORY) go test -vet=off -short -timeout 40m $(filter-out $(RACED),$(shell go list ./...))
	$(PLAIN) $(MEMORY) go test -vet=off -short -timeout 40m -run '$(UNRACED)' $(sort $(filter $(RACED),$(patsubst ./%,$(MODULE)/%,$(patsubst %/,%,$(dir $(SAYS_SO))))))

# Proofs mostly wait, so one more runs at once than there are processors.
prove: ## Run every test in whole, where make test takes samples: each night, and before a release
	@for t in prometheus promtool; do command -v $$t >/dev/null || echo "skipped: the part of ./deploy that takes $$t (not found here; Debian's package prometheus has it)"; done
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || echo "skipped: the report in a browser (none found here; Debian's package chromium is one)"
	$(PLAIN) $(MEMORY) go test -vet=off -timeout 60m -parallel $$(($$(getconf _NPROCESSORS_ONLN) + 1)) ./...

prove-long: ## Run every case of the proofs of which make prove tries each kind: once in a while, it takes an hour
	PROVE=long $(PLAIN) $(MEMORY) go test -vet=off -timeout 3h -run '^TestProve' $(LONG)

lint: ## Run golangci-lint, and see that go.mod is tidy
	go mod tidy -diff
	$(PLAIN) $(LINT) run

golden: ## Rewrite generated files and goldens from what the code says now; review the diff
	$(PLAIN) go test $(sort $(WITH_GOLDEN)) -update

bench: ## Run every benchmark
	$(PLAIN) go test -run '^$$' -bench . -benchmem ./...

fuzz: ## Run every fuzz target for FUZZTIME (10s), and count what it tried
	$(PLAIN) go run ./tools/fuzzall -time $(FUZZTIME) -part $(FUZZPART)

fuzz-count: ## Try FUZZCOUNT (10000000x) inputs in every fuzz target: before a release, it takes a night
	$(PLAIN) go run ./tools/fuzzall -time $(FUZZCOUNT) -part $(FUZZPART)

workflows: ## Check the hosted workflows
	$(PLAIN) go tool -modfile=tools/actionlint/go.mod actionlint -shellcheck= -pyflakes= .github/workflows/*.yml deploy/pipelines/github-actions.yml

snapshot: ## Build everything that a release has, without a network, into dist
	$(RELEASER) --skip=publish,sign
	deploy/package/checkdist.sh dist
	@if command -v buildah >/dev/null; then $(MAKE) --no-print-directory image; else echo "skipped: the container image (buildah is not found here)"; fi

image: ## Put the Linux program of make snapshot or make package into an image without a base image (takes buildah)
	deploy/container/image.sh dist/linux-amd64_*/vperf dist/vperf-image.tar

package: ## Build only the packages that CI installs, into dist
	ONLY_THIS=true $(RELEASER) --skip=publish,sign,sbom,archive,homebrew,scoop,winget

release-notes: ## Print the section of CHANGELOG.md for TAG (v0.1.0)
	@awk -v tag='## [$(TAG:v%=%)] - 2' 'index($$0, "## [") == 1 { on = index($$0, tag) == 1; found = found || on; next } \
	on && !/^\[.*\]: / { print } END { exit !found }' CHANGELOG.md || { echo "CHANGELOG.md has no section with a date for $(TAG)" >&2; exit 1; }

clean: ## Remove what was built
	rm -rf bin dist
