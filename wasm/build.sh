#!/bin/sh
# Builds the engine module: wasm/build.sh OUTPUT. The only place that knows the flags.
#
# Bytes are what every page load pays for, so inlining stays on only where loops run per row: d2, collection and
# its packages. Without it elsewhere the module is 6 % smaller after compression; mounting a list is a quarter slower,
# a commit a tenth. The older collector is smaller too, and what it has to mark is pointer-free. The
# output depends on sources and toolchain alone. OUTPUT is an absolute path.
set -eu
cd "$(dirname "$0")/.."
m=millrace.dev/millrace
cold="runtime $m/includes $m/jsbridge $m/jsbridge/msgpack"
for p in $cold; do set -- "$@" "-gcflags=$p=-l"; done
out=$1
shift
GOEXPERIMENT=nogreenteagc GOOS=js GOARCH=wasm exec go build -trimpath -buildvcs=false -ldflags='-s -w' "$@" -o "$out" ./wasm
