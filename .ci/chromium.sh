#!/usr/bin/env bash
# Prints the path of a Chromium, installing Debian's where there is none. CHROMIUM names another one.
set -euo pipefail

for candidate in "${CHROMIUM:-}" /usr/bin/chromium /usr/bin/chromium-browser /usr/bin/google-chrome; do
	if [[ -n $candidate && -x $candidate ]]; then
		echo "$candidate"
		exit 0
	fi
done

if ! command -v apt-get >/dev/null; then
	echo "no Chromium found: set CHROMIUM to the path of a Chromium or Chrome binary" >&2
	exit 1
fi
as_root=()
if [[ $(id -u) -ne 0 ]]; then as_root=(sudo); fi
{
	"${as_root[@]}" apt-get update -qq
	DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends chromium
} >&2
echo /usr/bin/chromium
