# make help lists what there is. All but race and ci need Go alone; race needs a C compiler too, ci also redis-server.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:

# A number of runs, not a time: Go before 1.27 may fail a target whose time is up while it runs (go.dev/issue/75804).
FUZZTIME ?= 20000x

# Tools are pinned in a module of their own, so that they are no dependency of who uses the library.
TOOL := go tool -modfile=internal/tools/go.mod

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: ci
ci: export SLIDEGATE_REQUIRE_REDIS = 1
ci: lint test race toy fuzz examples readme ## All that a change must pass; a test that lacks its redis-server fails

.PHONY: lint
lint: format tidy vet staticcheck ## format, tidy, vet and staticcheck

.PHONY: format
format: ## Fail if gofmt would change a file
	@files=$$(gofmt -l .); [[ -z $$files ]] || { printf 'gofmt -w these:\n%s\n' "$$files"; exit 1; }

.PHONY: tidy
tidy: ## Fail if go mod tidy would change go.mod or go.sum
	go mod tidy -diff

.PHONY: vet
vet: ## Run go vet
	go vet ./...

.PHONY: staticcheck
staticcheck: ## Run staticcheck
	$(TOOL) staticcheck ./...

.PHONY: test
test: ## Run the tests; those that need redis-server skip without it
	@command -v redis-server >/dev/null || echo "There is no redis-server in the PATH: tests that need one skip."
	go test ./...

.PHONY: race
race: ## Run the tests with the race detector, in random order
	go test -race -shuffle=on ./...

.PHONY: toy
toy: ## Test the toy store, a module of another path that knows only what is exported
	go -C internal/toystore vet ./...
	go -C internal/toystore test ./...

.PHONY: fuzz
fuzz: ## Run each fuzz target FUZZTIME, such as 20000x or 1m
	@list=$$(go test -list '^Fuzz' ./...); \
	awk '/^Fuzz/ { names[++n] = $$1 } /^ok/ { while (n) print $$2, names[n--] }' <<<"$$list" | \
	while read -r pkg name; do \
		echo "$$name in $$pkg"; \
		go test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) "$$pkg"; \
	done

.PHONY: examples
examples: ## Start each example and ask it
	go test -count=1 ./examples

.PHONY: readme
readme: ## Compile the Go code in the documentation
	go test -count=1 ./internal/readme
