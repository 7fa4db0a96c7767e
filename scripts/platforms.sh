#!/bin/sh
# Builds the program for each system that it is for, and for the other processor. What runs
# is tested for Linux, for Windows under Wine (test/windows), and in part for arm64 under qemu
# (make arm64); the others are only built.
set -eu
cd "$(dirname "$0")/.."
for target in linux/arm64 windows/amd64 darwin/arm64; do
	CGO_ENABLED=0 GOOS=${target%/*} GOARCH=${target#*/} ${GO:-go} build -o /dev/null ./cmd/worldfs || { echo "platforms: $target is not built" >&2; exit 1; }
done
