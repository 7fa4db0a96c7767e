//go:build race

package textcodec_test

// underRace says that the race detector is on, with which sync.Pool forgets at
// random and allocations cannot be counted.
const underRace = true
