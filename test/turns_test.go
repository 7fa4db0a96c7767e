package test

import (
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"slices"
	"testing"
)

// everyCase reports whether each case is run in each place. It is so in make configurations
// and with WORLDFS_TEST_ALL=1. In make test a case has its turn in some places, and a place
// in some cases: others in each test.
var everyCase = os.Getenv("WORLDFS_TEST_ALL") != ""

// someOf returns a quarter of a list of places, or of cases, that are run with each of others, of
// which those at hand are named.
func someOf[T any](t *testing.T, list []T, with ...any) []T {
	if everyCase || len(list) < 2 {
		return list
	}
	h := fnv.New32a()
	fmt.Fprint(h, t.Name(), with)
	first := int(h.Sum32() % uint32(len(list)))
	var some []T
	for i := range max(1, len(list)/4) {
		some = append(some, list[(first+i)%len(list)])
	}
	return some
}

// inTurn is someOf of a table of named cases.
func inTurn[C any](t *testing.T, cases map[string]C) map[string]C {
	some := make(map[string]C)
	for _, name := range someOf(t, slices.Sorted(maps.Keys(cases))) {
		some[name] = cases[name]
	}
	return some
}
