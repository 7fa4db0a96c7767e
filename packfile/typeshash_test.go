package packfile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/packfile"
)

func lampPack(t *testing.T, kind entity.Kind) *packfile.Pack {
	types := entity.NewTypes(&entity.Type{Name: "Lamp", Revision: 1, Fields: []*entity.Field{
		{Name: "watts", Shape: entity.Shape{Kind: kind}},
	}})
	data, err := packfile.Encode(entity.GUID{1}, types, entity.NewWorld(entity.GUID{1}, types))
	require.NoError(t, err)
	p, err := packfile.Parse(data)
	require.NoError(t, err)
	return p
}

func TestTheTypesHashOfAFileIsThePacks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pack")
	p := lampPack(t, entity.KindU16)
	require.NoError(t, os.WriteFile(path, p.Bytes(), 0o600))
	hash, err := packfile.ReadTypesHash(path)
	require.NoError(t, err)
	require.Equal(t, p.TypesHash(), hash)
	require.NotEqual(t, lampPack(t, entity.KindU8).TypesHash(), hash)
}

// Whatever byte is wrong, and wherever the file ends, it has no other hash.
func TestTheTypesHashOfADamagedFileIsNoOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pack")
	p := lampPack(t, entity.KindU16)
	requireNoOther := func(data []byte) {
		require.NoError(t, os.WriteFile(path, data, 0o600))
		if hash, err := packfile.ReadTypesHash(path); err == nil {
			require.Equal(t, p.TypesHash(), hash)
		}
	}
	for i := range p.Bytes() {
		broken := append([]byte(nil), p.Bytes()...)
		broken[i] ^= 0xff
		requireNoOther(broken)
		requireNoOther(p.Bytes()[:i])
	}
	_, err := packfile.ReadTypesHash(filepath.Dir(path))
	require.Error(t, err)
}
