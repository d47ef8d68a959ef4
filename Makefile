# Targets for building, proving and measuring millrace. `make` lists them.

SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
COMMIT  := $(shell git rev-parse --verify -q HEAD 2>/dev/null || echo unknown)
LDFLAGS := -X main.version=$(VERSION) -X main.commit=$(COMMIT)
# The version comes by LDFLAGS, so the go command need not ask git again.
GOBUILD := CGO_ENABLED=0 go build -trimpath -buildvcs=false

# FUZZTIME is spent on each fuzz target, BENCHTIME on each benchmark, SOAKTIME on the soak.
FUZZTIME  ?= 5s
BENCHTIME ?= 1s
SOAKTIME  ?= 10m
PACKAGES  ?= ./...

.PHONY: help
help: ## List the targets.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 16

.PHONY: build
build: ## Build the static binary bin/millrace.
	@$(GOBUILD) -ldflags '$(LDFLAGS)' -o bin/millrace ./cmd/millrace

.PHONY: run
run: build ## Start a demo: two echo upstreams and a proxy in front. Ctrl-C stops it.
	@exec bin/millrace run -demo

.PHONY: test
test: ## Run the tests, unit and black-box.
	@go test -shuffle=on -timeout 5m $(PACKAGES)

.PHONY: check
check: fmt vet lint test race ## Run all that must hold before a commit.

.PHONY: fmt
fmt: ## Fail if gofmt would change a file.
	@files=$$(gofmt -l .); if [ -n "$$files" ]; then echo "gofmt -w these:" $$files; exit 1; fi

.PHONY: vet
vet: ## Run go vet for each system that the code is written for.
	@for os in linux darwin freebsd; do echo "vet $$os"; GOOS=$$os CGO_ENABLED=0 go vet $(PACKAGES); done

.PHONY: lint
lint: ## Run staticcheck, in the version that scripts/lint.sh names.
	@scripts/lint.sh $(PACKAGES)

.PHONY: layers
layers: ## Test the rules on imports, names, sizes and hot files.
	@go test -run 'Layers|Sizes|Names|Hot' ./cmd/millrace

.PHONY: race
race: ## Run the tests of packages that goroutines share, with the race detector.
	@scripts/race.sh

.PHONY: alloc
alloc: ## Run the tests that count allocations on the request path.
	@go test -run Alloc $(PACKAGES)

.PHONY: fuzz
fuzz: ## Fuzz every target for FUZZTIME (5s) each.
	@scripts/fuzz.sh $(FUZZTIME)

.PHONY: cover
cover: ## Print the test coverage of each package.
	@go test -cover $(PACKAGES)

.PHONY: conform
conform: build ## Run the external conformance suite's areas of .ci/areas, if it is there.
	@MILLRACE_BIN=$(CURDIR)/bin/millrace scripts/conform.sh

.PHONY: suites
suites: build ## Run what .ci/suites names of external suites and clients, if they are there.
	@MILLRACE_BIN=$(CURDIR)/bin/millrace scripts/suites.sh

.PHONY: soak
soak: build ## Soak the proxy for SOAKTIME (10m): clients, upstreams and reloads of every kind.
	@scripts/soak.sh -duration $(SOAKTIME)

.PHONY: bench
bench: ## Run the micro-benchmarks, BENCHTIME (1s) each.
	@go test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) $(PACKAGES)

.PHONY: bench-smoke
bench-smoke: bench-build ## Run every benchmark and comparison briefly, so that they keep working.
	@go test -run '^$$' -bench . -benchtime 10x $(PACKAGES)
	@bin/compare -turns 1 -duration 500ms -warmup 500ms -requests 20000 -idle 200 -out '' small large upload newconn idle mallocs

.PHONY: bench-build
bench-build: build
	@$(GOBUILD) -o bin/load ./bench/load
	@$(GOBUILD) -o bin/compare ./bench/compare

.PHONY: bench-compare
bench-compare: bench-build ## Measure millrace against nginx and HAProxy, in turn, and print the ratios.
	@bin/compare small large upload newconn idle

.PHONY: profile
profile: bench-build ## Profile the proxy under load and print where its time goes (needs perf).
	@bin/compare profile
