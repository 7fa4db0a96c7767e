#!/bin/sh
# Runs every fuzz target for the time given, one after the other. What is found
# stays in the package's testdata/fuzz and is run by every test from then on.
set -eu
for package in $(go list ./...); do
	for target in $(go test -list '^Fuzz' "$package" | grep '^Fuzz' || true); do
		echo "== $package $target"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$1" -fuzzminimizetime 5x "$package"
	done
done
