#!/usr/bin/env bash
# The property tests with many more histories, then every fuzz target for a while.
#   CHECKS    histories per property (5000)
#   FUZZTIME  per fuzz target (60s)
set -euo pipefail
cd "$(dirname "$0")/.."

printf '\n== soak: properties\n'
RAPID_CHECKS=${CHECKS:-5000} RAPID_STEPS=60 go test -count=1 -timeout 3h ./...

git grep -oE '^func Fuzz[A-Za-z0-9_]+' -- '*_test.go' | while IFS=: read -r file declaration; do
	target=${declaration#func }
	printf '\n== soak: %s in %s\n' "$target" "$(dirname "$file")"
	go test -run '^$' -fuzz "^$target\$" -fuzztime "${FUZZTIME:-60s}" "./$(dirname "$file")" </dev/null
done
