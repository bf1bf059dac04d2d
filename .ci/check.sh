#!/usr/bin/env bash
# Everything that can be said about the sources without running them. Each step announces itself;
# the first failure ends the run.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '\n== check: %s\n' "$1"; }

say 'Go format (gofumpt)'
mapfile -t go_files < <(git ls-files -co --exclude-standard -- '*.go')
unformatted=$(go tool -modfile=.ci/tools.mod gofumpt -l "${go_files[@]}")
if [[ -n $unformatted ]]; then
	printf '%s\n' "$unformatted" 'not in gofumpt format: run make format' >&2
	exit 1
fi

say 'go vet, native and GOOS=js'
go vet ./...
GOOS=js GOARCH=wasm go vet ./wasm/... ./jsbridge

say 'staticcheck, native and GOOS=js'
# Built for this machine first: under GOOS=js `go tool` would build the analyser itself for js.
mkdir -p build
go build -modfile=.ci/tools.mod -o build/staticcheck honnef.co/go/tools/cmd/staticcheck
build/staticcheck ./...
# It does not know that //go:wasmexport is a use; what is unused elsewhere the native run has found.
GOOS=js GOARCH=wasm build/staticcheck -checks inherit,-U1000 ./wasm/... ./jsbridge

say 'import direction'
go test -count=1 -run '^TestImports' ./tests

say 'TypeScript: types'
(cd npm && npx tsc --noEmit && npx tsc --noEmit -p tsconfig.build.json)

say 'TypeScript: lint and format (biome)'
(cd npm && npx biome ci --error-on-warnings .)

say 'lock files, paths, generated files'
.ci/hygiene.sh
