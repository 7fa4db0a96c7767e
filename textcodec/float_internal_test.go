package textcodec

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity/entitytest"
)

// plainDecimal is %f as strconv, and no way around it, writes it.
func plainDecimal(f float64, negative bool) string { return string(appendDecimal(nil, f, negative)) }

// halves are f32 and f64 bits next to a tie at the sixth place.
func halves(k int64) (ties []float64) {
	f := (float64(k) + 0.5) / 1e6
	return []float64{math.Nextafter(f, math.Inf(-1)), f, math.Nextafter(f, math.Inf(1)), float64(float32(f)), float64(k) / (1 << 21)}
}

func TestTheShortWaysWriteWhatStrconvDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := entitytest.F32Bits().Draw(t, "f32")
		require.Equal(t, plainDecimal(float64(math.Float32frombits(b)), b>>31 != 0)+fmt.Sprintf(" : %x", b), string(appendF32(nil, b)))
		c := entitytest.F64Bits().Draw(t, "f64")
		for _, f := range append(halves(rapid.Int64Range(-1<<50, 1<<50).Draw(t, "k")>>rapid.IntRange(0, 50).Draw(t, "shift")), math.Float64frombits(c)) {
			b := math.Float64bits(f)
			require.Equal(t, plainDecimal(f, b>>63 != 0)+fmt.Sprintf(" : %x", b), string(appendF64(nil, b)))
		}
	})
}

func TestTheShortWaysOverManyBits(t *testing.T) {
	state := uint64(1)
	for range 200_000 {
		state = state*6364136223846793005 + 1442695040888963407
		b := uint32(state >> 32)
		if n, ok := millionths32(b); ok {
			require.Equal(t, plainDecimal(float64(math.Float32frombits(b)), b>>31 != 0), string(appendMillionths(nil, b>>31 != 0, n)))
		}
		// exponents around those where the short way is taken
		c := state>>12 | (1023-30+state>>8%80)<<52
		if n, ok := millionths64(c); ok {
			require.Equal(t, plainDecimal(math.Float64frombits(c), false), string(appendMillionths(nil, false, n)))
		}
	}
}

func TestEveryFloatReadsBackAsItsBits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := entitytest.F32Bits().Draw(t, "f32")
		got, edited, reason := parseFloat(appendF32(nil, b), 32)
		require.Empty(t, reason)
		require.False(t, edited)
		require.EqualValues(t, b, got)
		c := entitytest.F64Bits().Draw(t, "f64")
		got, edited, reason = parseFloat(appendF64(nil, c), 64)
		require.Empty(t, reason)
		require.False(t, edited)
		require.Equal(t, c, got)
	})
}

// TestAgreementIsExact compares with a decision made on the whole numbers.
func TestAgreementIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		places := rapid.IntRange(-3, 9).Draw(t, "places")
		n := rapid.Int64Range(-1<<53, 1<<53).Draw(t, "n") >> rapid.IntRange(0, 53).Draw(t, "shift")
		text := fmt.Sprintf("%de%d", n, -places)
		d, ok := parseDecimal([]byte(text))
		require.True(t, ok)
		exact, _ := new(big.Rat).SetString(text)
		half, _ := new(big.Rat).SetString(fmt.Sprintf("5e%d", -places-1))
		edge, _ := new(big.Rat).Add(exact, half).Float64()
		middle, _ := exact.Float64()
		for _, f := range []float64{middle, edge, math.Nextafter(edge, -1e300), math.Nextafter(edge, 1e300), float64(float32(edge))} {
			difference := new(big.Rat).SetFloat64(f)
			difference.Sub(difference, exact)
			want := difference.Abs(difference).Cmp(half) <= 0
			require.Equal(t, want, d.agrees(math.Float64bits(f), 64), "%s %b", text, f)
			if quick, sure := d.agreesQuickly(f); sure && d.places == 6 {
				require.Equal(t, want, quick, "%s %b", text, f)
			}
		}
	})
}

func TestReadingFloats(t *testing.T) {
	const x = 0x42386a04 // 46.103531…
	for _, c := range []struct {
		line   string
		want   uint32
		edited bool
	}{
		{"46.103531 : 42386a04", x, false},
		{"46.103530 : 42386a04", math.Float32bits(46.10353), true}, // a step off: a person did that
		{"46.1035 : 42386a04", x, false},
		{"46.10 : 42386a04", x, false},
		{"46 : 42386a04", x, false},
		{"46. : 42386a04", x, false},
		{"5e1 : 42386a04", x, false},
		{"4.61e1 : 42386a04", x, false},
		{"4.7e1 : 42386a04", math.Float32bits(47), true},
		{"46.103530883789063 : 42386a04", x, false},
		{"46.2 : 42386a04", math.Float32bits(46.2), true},
		{"-46.103531 : 42386a04", math.Float32bits(-46.103531), true},
		{"46.103531", math.Float32bits(46.103531), false},
		{"46.5", 0x423a0000, false},
		{"+46.5", 0x423a0000, false},
		{".5", 0x3f000000, false},
		{"5e-1", 0x3f000000, false},
		{"46.103531:42386A04", x, false},
		{"46.103531 : 0x42386a04", x, false},
		{"46.103531 : 0X42386A04", x, false},
		{"1.000000 : 03f8", 0x3f800000, true},
		{"0.5 : 3f000000", 0x3f000000, false},
		{"0 : 3f000000", 0x3f000000, false}, // ties either way
		{"1 : 3f000000", 0x3f000000, false},
		{"2 : 3f000000", 0x40000000, true},
		{"-0 : 3f000000", 0x3f000000, false},
		{"0.000000 : 80000000", 0x80000000, false}, // zeros are of one size
		{"-0.000000 : 0", 0, false},
		{"-0", 0x80000000, false},
		{"0.000000 : 1", 1, false},
		{"-0.000000 : 1", 1, false},
		{"nan", 0x7fc00000, false},
		{"-nan", 0xffc00000, false},
		{"NaN : 7f800001", 0x7f800001, false},
		{"nan : ffc00000", 0xffc00000, false}, // C runtimes differ in a NaN's sign
		{"nan : 3f800000", 0x7fc00000, true},
		{"1.5 : 7fc00000", 0x3fc00000, true},
		{"inf : 7f800000", 0x7f800000, false},
		{"Infinity", 0x7f800000, false},
		{"-INF : ff800000", 0xff800000, false},
		{"-inf : 7f800000", 0xff800000, true},
		{"1 : 7f800000", 0x3f800000, true},
		{"inf : 7f7fffff", 0x7f800000, true},
		{"340282346638528859811704183484516925440.000000 : 7f7fffff", 0x7f7fffff, false},
		{"1e-999999999", 0, false},
		{"1e-999999999 : 0", 0, true},
		{"0e-999999999 : 0", 0, false},
		{"0e999999999 : 3f800000", 0x3f800000, false},
	} {
		b, edited, reason := parseFloat([]byte(c.line), 32)
		require.Empty(t, reason, c.line)
		require.Equal(t, strconv.FormatUint(uint64(c.want), 16), strconv.FormatUint(b, 16), c.line)
		require.Equal(t, c.edited, edited, c.line)
	}
}

func TestFloatsThatAreNone(t *testing.T) {
	for _, line := range []string{"", "x", "1,5", "1e", "e5", ".", "-", "--1", "1 2", "0x1p3", "1_0", "1 : x", "1 :", ": 0", "1 : -1", "1 : 123456789", "1 : 0 : 0", "1e39", "-1e999999999999", "3.5e38 : 0", "infi", "nan(1)"} {
		_, _, reason := parseFloat([]byte(line), 32)
		require.NotEmpty(t, reason, line)
	}
}

func TestQuotingIsUndone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := entitytest.Text().Draw(t, "text")
		quoted := appendQuoted(nil, s)
		require.Equal(t, len(quoted)-1, quotedEnd(quoted))
		require.NotContains(t, string(quoted), "\n")
		got, reason := appendUnquoted(nil, quoted[1:len(quoted)-1])
		require.Empty(t, reason)
		require.Equal(t, s, string(got))
		byGo, err := strconv.Unquote(string(quoted))
		require.NoError(t, err)
		require.Equal(t, s, byGo)
		got, reason = appendUnquoted(nil, []byte(strconv.QuoteToASCII(s))[1:len(strconv.QuoteToASCII(s))-1])
		require.Empty(t, reason)
		require.Equal(t, s, string(got))
	})
}

func TestEveryNameReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(entitytest.Name(), rapid.StringMatching(`[ -~\x{80}-\x{2100}]{1,8}`)).Draw(t, "name")
		got, reason := parseName(appendName(nil, name))
		require.Empty(t, reason)
		require.Equal(t, name, got)
	})
}
