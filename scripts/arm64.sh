#!/bin/sh
# Tests the packages of formats, of calculating and of merging as they are for arm64, which
# qemu-aarch64 runs where this machine is none: their goldens and laws are to hold there with
# the same bytes. What runs the built program, mounts or compiles C is left out; test/arm64
# compares what the program makes. Usage: scripts/arm64.sh [flags of go test]
set -eu
cd "$(dirname "$0")/.."

packages="./entity/... ./textcodec ./packfile ./interchange ./merge/... ./internal/compare/... ./internal/support/portable
	./internal/dev/island ./internal/storage/history ./internal/storage/wal ./internal/worldtree/filemerge
	./internal/worldtree/layout ./internal/worldtree/ship ./internal/worldtree/typefile ./internal/worldtree/typeloss"

go=${GO:-go}
run=
if [ "$($go env GOHOSTARCH)" != arm64 ]; then
	command -v qemu-aarch64 >/dev/null || { echo "arm64: qemu-aarch64 is missing: scripts/setup.sh arm64 installs it" >&2; exit 3; }
	run="-exec qemu-aarch64"
fi
GOARCH=arm64 CGO_ENABLED=0 $go test -timeout 20m $run "$@" $packages
