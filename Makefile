# make build   an installable package in npm/ (npm pack), its entry npm/dist/index.js
# make demo    builds, then serves the demo; ARGS=--terminal runs it in the terminal and exits
# make test    installs what it needs and runs everything below
# make check   format, vet, staticcheck, types, lint, import direction, generated files
# make format  rewrites Go and TypeScript files into their format, and tidies go.mod
# make bench   the measurements of docs/performance.md; installs the peers it compares with
# make bench-d2  the same for the dataflow engine by itself: native, as wasm, and a peer's
# make soak    the property tests at length, and every fuzz target
# make clean   removes what the other targets made

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build
.PHONY: build deps demo test check format bench bench-d2 soak clean \
	test-go test-npm test-package test-consumers test-browser

ARGS ?=
# Set by `make test`, which builds once for all of its stages.
BUILT ?=
built := $(if $(BUILT),,build)
INSTALLED := npm/node_modules/.package-lock.json
say = @printf '\n== %s\n' "$(1)"

deps: $(INSTALLED)

$(INSTALLED): npm/package-lock.json
	$(call say,npm ci)
	cd npm && npm ci --no-audit --no-fund
	@touch $@

build: deps
	$(call say,build)
	cd npm && node scripts/build.mjs

demo: build
	cd npm && node examples/flights/serve.mjs $(ARGS)

# Each stage is a target of its own, in the order that reports the cheapest failure first.
test:
	@before=$$(.ci/tree.sh); \
	$(MAKE) --no-print-directory deps check build; \
	for stage in test-go test-npm test-package test-consumers test-browser; do \
		$(MAKE) --no-print-directory $$stage BUILT=1; \
	done; \
	if [[ $$(.ci/tree.sh) != "$$before" ]]; then \
		git status --short; echo 'make test: the run has changed files of the tree' >&2; exit 1; \
	fi
	$(call say,all stages passed)

check: deps
	.ci/check.sh

format: deps
	go mod tidy
	go tool -modfile=.ci/tools.mod gofumpt -w $$(git ls-files -co --exclude-standard '*.go')
	cd npm && npx biome check --write .

test-go: $(built)
	$(call say,go test)
	go test ./...

test-npm: $(built)
	$(call say,npm: unit and type tests)
	cd npm && MILLRACE_NO_BUILD=1 npx vitest run --project unit --project types

test-package: $(built)
	$(call say,npm: package and README)
	cd npm && MILLRACE_NO_BUILD=1 npx vitest run --project package

test-consumers: $(built)
	$(call say,npm: the packed package in applications)
	cd npm && chromium=$$(../.ci/chromium.sh); CHROMIUM=$$chromium MILLRACE_NO_BUILD=1 npx vitest run --project consumers

test-browser: $(built)
	$(call say,npm: headless Chromium)
	cd npm && chromium=$$(../.ci/chromium.sh); CHROMIUM=$$chromium MILLRACE_NO_BUILD=1 npx vitest run --project browser

bench: build
	cd npm && node bench/run.mjs $(ARGS)

bench-d2: deps
	cd npm && node bench/d2/run.mjs $(ARGS)

soak: build
	.ci/soak.sh

clean:
	rm -rf build npm/dist npm/coverage npm/LICENSE npm/NOTICE npm/README.md npm/bench/results
