package packstore

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/packfile"
)

// notedTypes are what the editor's world declares: a note is the editor's only.
func notedTypes() *entity.Types {
	return entity.NewTypes(&entity.Type{Name: "Lamp", Revision: 1, Fields: []*entity.Field{
		{Name: "watts", Shape: entity.Shape{Kind: entity.KindU16}},
		{Name: "note", Shape: entity.Shape{Kind: entity.KindString}, EditorOnly: true},
	}})
}

// twice returns a pack as a program saves it that saves twice.
func (b *bench) twice(p *packfile.Pack) *packfile.Pack {
	data := append([]byte(nil), p.Bytes()...)
	packfile.SetBasedOn(data, p.Hash())
	again, err := packfile.Parse(data)
	require.NoError(b, err)
	return again
}

// A kept pack that cannot be read may be the one that the program had loaded.
func TestNoPackIsRefusedWhereAKeptOneCannotBeRead(t *testing.T) {
	b := newBench(t)
	save := b.twice(b.pack(map[entity.ID]uint64{1: 2}))
	require.True(t, IsRefused(b.packs.Refuse(save, nil, notedTypes())), "nothing is kept")
	loaded := b.keep(b.pack(map[entity.ID]uint64{1: 1}), time.Now())
	require.NoError(t, b.packs.Refuse(save, nil, notedTypes()))
	other := New(b.dir, nil, nil, b.state, nil)
	require.NoError(t, os.WriteFile(b.packs.Path(loaded.Hash()), []byte("no pack"), 0o600))
	require.NoError(t, other.Refuse(save, nil, notedTypes()))
	require.NoError(t, b.packs.Refuse(save, nil, notedTypes()), "it was read already")
}

func TestNoPackIsRefusedWhereNothingSaysWhatIsKept(t *testing.T) {
	b := newBench(t)
	save := b.twice(b.pack(map[entity.ID]uint64{1: 2}))
	require.NoError(t, os.RemoveAll(b.dir.PacksPath()))
	require.NoError(t, os.WriteFile(b.dir.PacksPath(), nil, 0o600))
	require.NoError(t, b.packs.Refuse(save, nil, notedTypes()))
}

// A save that was published as it is was loaded, too; one that was only taken in was not.
func TestAPublishedSaveDeclaresWhatIsNoShipBuild(t *testing.T) {
	b := newBench(t)
	save := b.twice(b.pack(map[entity.ID]uint64{1: 2}))
	first := b.keep(b.pack(map[entity.ID]uint64{1: 1}), time.Now())
	note := func(n state.PackNote) {
		require.NoError(t, b.state.Apply(state.Update{Packs: map[[32]byte]state.PackNote{first.Hash(): n}}))
	}
	note(state.PackNote{Saved: true})
	require.True(t, IsRefused(b.packs.Refuse(save, nil, notedTypes())))
	note(state.PackNote{Published: true})
	require.NoError(t, b.packs.Refuse(save, nil, notedTypes()))
}
