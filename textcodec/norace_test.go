//go:build !race

package textcodec_test

const underRace = false
