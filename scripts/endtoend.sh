#!/bin/sh
# Runs the end-to-end tests. What fails is run once more, alone, and said to be
# unsteady if it passes then: real tools, each with its own idea of a clock, meet
# real mounts here, and one that stumbles must not hide what all others say.
# Usage: scripts/endtoend.sh [flags of go test]
set -u

go=${GO:-go}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

$go test -count=1 -timeout 20m "$@" ./test >"$log" 2>&1
status=$?
cat "$log"
[ $status = 0 ] && exit 0

failed=$(sed -n 's/^--- FAIL: \([A-Za-z0-9_]*\) .*/\1/p' "$log" | sort -u | paste -sd '|' -)
if [ -z "$failed" ]; then
	exit $status # not a test, but all of it
fi
echo "endtoend: once more: $failed"
$go test -count=1 -timeout 20m -run "^($failed)\$" ./test || exit 1
echo "endtoend: unsteady, passed the second time: $failed"
