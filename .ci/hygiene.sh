#!/usr/bin/env bash
# What must not be in the tree: addresses in lock files, paths of one machine, generated files and
# module files that differ from what their generator writes.
set -euo pipefail
cd "$(dirname "$0")/.."
failed=0

fail() {
	printf '%s\n' "$@" >&2
	failed=1
}

if addresses=$(git grep -nE '"resolved"|https?://registry' -- '*package-lock.json'); then
	fail "$addresses" 'lock files name no registry: npm install with the .npmrc of this repository'
fi

# The brackets keep this file from matching itself.
if paths=$(git grep -nIE '(^|[^A-Za-z0-9_./-])/([h]ome|[U]sers|[r]oot|[w]ork)/' -- ':!*package-lock.json' ':!*go.sum'); then
	fail "$paths" 'a path of one machine: use one relative to the repository'
fi

if markers=$(git grep -nIE '\b(TOD[O]|FIXM[E]|eslint-disabl[e]|@ts-ignor[e]|@ts-nochec[k])\b' -- ':!*package-lock.json'); then
	fail "$markers" 'finish it or describe it in docs/: the tree holds no markers'
fi

if ! tidy=$(go mod tidy -diff 2>&1); then
	fail "$tidy" 'go.mod or go.sum is not what go mod tidy writes'
fi

# A generated file carries the name of its generator; go generate must reproduce what is committed.
if git grep -qE '^//go:generate ' -- '*.go'; then
	before=$(.ci/tree.sh)
	go generate ./...
	if [[ $(.ci/tree.sh) != "$before" ]]; then
		fail "$(git status --short)" 'go generate changed files: commit them'
	fi
fi

exit $failed
