#!/usr/bin/env bash
# Prints one line that changes whenever a file that git watches or would add changes.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
	echo 'not a work tree'
	exit 0
fi
{
	git diff HEAD
	git ls-files --others --exclude-standard
} | sha256sum
