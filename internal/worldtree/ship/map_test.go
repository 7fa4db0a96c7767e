package ship_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/ship"
)

func someMap() *ship.Map {
	return &ship.Map{
		World: worldID, Build: [32]byte{0xab, 1}, Dense: true, ByType: true, Revision: "git:0123", Modified: true, Next: 8,
		Entries: []ship.Entry{
			{Ship: 1, Named: ship.Named{ID: 6555, Type: "Door", Name: `bunker "<door>" & co`}, Position: []float64{46.10353088378906, -0.5, 1e10}},
			{Ship: 2, Named: ship.Named{ID: 6556, Type: "Lamp"}},
			{Ship: 7, Named: ship.Named{ID: 6556, Type: "Door"}, Gone: true},
		},
	}
}

func TestAMapIsReadAsItWasWritten(t *testing.T) {
	text := ship.AppendMap(nil, someMap())
	m, err := ship.ParseMap(text)
	require.NoError(t, err)
	require.Equal(t, someMap(), m)
	require.Contains(t, string(text), `{"ship":1,"id":6555,"type":"Door","name":"bunker \"<door>\" & co","position":[`)
	_, ok := m.Entity(3)
	require.False(t, ok)
}

func TestADamagedMapIsKnownAsOne(t *testing.T) {
	text := ship.AppendMap(nil, someMap())
	for i := range text {
		_, err := ship.ParseMap(text[:i])
		require.Error(t, err, "cut off at %d", i)
		changed := append([]byte(nil), text...)
		changed[i] ^= 1
		_, err = ship.ParseMap(changed)
		require.Error(t, err, "changed at %d", i)
	}
	_, err := ship.ParseMap(text[:len(text)-1])
	require.ErrorIs(t, err, ship.ErrMapTorn)
	_, err = ship.ParseMap([]byte("; a text\n"))
	require.ErrorIs(t, err, ship.ErrNoMap)
	_, err = ship.ParseMap([]byte(`{"ship_map":2,"what":"ever"}` + "\n"))
	require.ErrorIs(t, err, ship.ErrMapNewer)
}

// sealed returns lines as a map whose checksum holds.
func sealed(lines ...string) []byte {
	text := strings.Join(lines, "\n") + "\n"
	sum := sha256.Sum256([]byte(text))
	return []byte(text + `{"sha256":"` + hex.EncodeToString(sum[:]) + `"}` + "\n")
}

func TestAMapThatSaysNonsenseIsRefused(t *testing.T) {
	head := func(entities, next int) string {
		return fmt.Sprintf(`{"ship_map":1,"world":%q,"build":%q,"ids":"dense","entities":%d,"next":%d}`, worldID.Dashed(), strings.Repeat("ab", 32), entities, next)
	}
	one, two := `{"ship":1,"id":5,"type":"A"}`, `{"ship":2,"id":6,"type":"A"}`
	_, err := ship.ParseMap(sealed(head(2, 3), one, two))
	require.NoError(t, err)
	for want, lines := range map[string][]string{
		"it has 2 entities, and says 3":        {head(3, 3), one, two},
		"its next ID, 2, is given already":     {head(2, 2), one, two},
		"line 3: its ship ID is not greater":   {head(2, 3), two, one},
		"A 5 is in it twice":                   {head(2, 3), one, `{"ship":2,"id":5,"type":"A"}`},
		"B 5 is in it twice":                   {head(2, 3), one, `{"ship":2,"id":5,"type":"B"}`},
		"line 2: it lacks a ship ID":           {head(1, 3), `{"ship":1,"id":0,"type":"A"}`},
		"line 2: its position is not of three": {head(1, 3), `{"ship":1,"id":5,"type":"A","position":[1]}`},
		`unknown field "extra"`:                {head(1, 3), `{"ship":1,"id":5,"type":"A","extra":1}`},
		"line 1: world":                        {strings.Replace(head(0, 1), worldID.Dashed(), "x", 1)},
		"line 1: build":                        {strings.Replace(head(0, 1), "abab", "xyz", 1)},
		`line 1: ids: "odd" is neither`:        {strings.Replace(head(0, 1), "dense", "odd", 1)},
		"something stands behind the object":   {head(1, 3), one + "{}"},
		"its next ID, 4294967297, is given":    {head(0, 1<<32+1)},
	} {
		_, err := ship.ParseMap(sealed(lines...))
		require.ErrorContains(t, err, want)
	}
}

func TestWhatIsLostIsCounted(t *testing.T) {
	of := func(ids ...entity.ID) *ship.Map {
		m := &ship.Map{}
		for i, id := range ids {
			m.Entries = append(m.Entries, ship.Entry{Ship: entity.ID(i + 1), Named: ship.Named{ID: id, Type: "A"}})
		}
		return m
	}
	last, now := of(1, 2, 3, 4), of(2, 9, 1)
	last.Entries[3].Gone = true
	now.Entries[2].Gone = true
	had, gone := ship.Lost(last, now)
	require.Equal(t, []int{3, 2}, []int{had, gone})
	require.False(t, ship.IsGreatLoss(last, now))
	require.True(t, ship.IsGreatLoss(last, of()))
}

func FuzzParseMap(f *testing.F) {
	f.Add(ship.AppendMap(nil, someMap()))
	f.Add(sealed(`{"ship_map":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ship.ParseMap(data)
		if err != nil {
			// A checksum that holds brings the fuzzer behind it.
			if m, err = ship.ParseMap(sealed(strings.Split(string(data), "\n")...)); err != nil {
				return
			}
		}
		text := ship.AppendMap(nil, m)
		again, err := ship.ParseMap(text)
		require.NoError(t, err)
		require.Equal(t, text, ship.AppendMap(nil, again))
	})
}
