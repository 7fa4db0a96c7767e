package packfile_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
	"github.com/worldfs/worldfs/packfile"
)

// decodes reports what decoding every entity of a pack finds wrong, which is what
// Check must find without making entities.
func decodes(p *packfile.Pack) error {
	for i := range p.Len() {
		if _, err := p.At(i); err != nil {
			return err
		}
	}
	return nil
}

func TestDifferingOfAPackCheckedAlongsideAnother(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := worlds().Draw(t, "a")
		b := altered(t, a)
		p := parse(t, encode(t, a))
		require.NoError(t, p.Check())
		q, err := packfile.ParseLike(encode(t, b), p)
		require.NoError(t, err)
		requireDiff(t, a, b, p, q)
		requireDiff(t, b, a, q, p)
	})
}

// What Check or ParseLike lets pass can be decoded, and what they refuse cannot, but
// for lists that several values share.
func TestChecksFindWhatDecodingFinds(t *testing.T) {
	defer entitytest.Checks("2000")() // few of the damages are such that decoding finds them: of a hundred perhaps none
	whole := encode(t, everyKind())
	good := parse(t, whole)
	require.NoError(t, good.Check())
	wrong := 0
	rapid.Check(t, func(t *rapid.T) {
		data := append([]byte(nil), whole...)
		sections := []int{3, 4} // the values
		if rapid.Bool().Draw(t, "places") {
			sections = []int{2, 3, 5, 6}
		}
		for range rapid.IntRange(1, 4).Draw(t, "damages") {
			from, to := section(data, rapid.SampledFrom(sections).Draw(t, "section"))
			data[rapid.IntRange(from, to-1).Draw(t, "at")] = rapid.SampledFrom([]byte{0, 1, 2, 3, 8, 0x80, 0xff}).Draw(t, "byte")
		}
		p, err := packfile.Parse(reseal(data))
		if err != nil {
			_, err = packfile.ParseLike(reseal(data), good)
			require.Error(t, err)
			return
		}
		if decodes(p) != nil {
			wrong++
			require.Error(t, p.Check())
			_, err = packfile.ParseLike(reseal(data), good)
			require.Error(t, err)
			return
		}
		if err := p.Check(); err != nil {
			require.ErrorContains(t, err, "several values share a list")
			return
		}
		p, err = packfile.ParseLike(reseal(data), good)
		require.NoError(t, err)
		require.Empty(t, entity.Diff(p, parse(t, reseal(data))))
	})
	require.NotZero(t, wrong)
}
