package jsonmerge

import (
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func canonical(s string) string { return string(appendNumber(nil, []byte(s))) }

func TestEqualNumbers(t *testing.T) {
	for _, equal := range [][]string{
		{"0", "0.0", "0e9", "0E-3", "0e99999999999999999999"},
		{"-0", "-0.00"},
		{"1", "1.0", "1e0", "10e-1", "0.1e1", "1E+0", "0.0001e4"},
		{"120", "1.2e2", "120.00", "1200e-1"},
		{"-5", "-5.0"},
		{"12345678901234567890", "1234567890123456789e1"},
		{"12345678901234567891"},
		{"0.1"},
		{"0.10000000000000001"},
		{"1e99999999999999999999"},
		{"1e99999999999999999998"},
	} {
		for _, s := range equal {
			require.Equal(t, canonical(equal[0]), canonical(s), s)
		}
	}
}

func TestNumbersAreEqualWhenTheirValuesAre(t *testing.T) {
	number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,3})(\.[0-9]{1,3})?(e[-+]?[0-3])?`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)
		equal := x.Cmp(y) == 0 && strings.HasPrefix(a, "-") == strings.HasPrefix(b, "-")
		require.Equal(t, equal, canonical(a) == canonical(b), "%s %s", a, b)
	})
}
