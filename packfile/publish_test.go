package packfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/packfile"
)

var errBroken = errors.New("broken by the test")

// breaking returns a Disk on which steps fail with the errors given.
func breaking(faults map[string]error) *disk.Disk {
	return &disk.Disk{Fault: func(step string) error { return faults[step] }}
}

// cannotExchange is the fault of a file system without RENAME_EXCHANGE.
func cannotExchange(more string) *disk.Disk {
	return breaking(map[string]error{"exchange pack": syscall.EINVAL, more: errBroken})
}

// twoPacks returns a pack and the one that is to take its place.
func twoPacks(t *testing.T) (old, next []byte) {
	w := doorAndLamp()
	old = encode(t, w)
	w.Delete(6555)
	return old, encode(t, w)
}

// published returns the path of a pack in a directory of its own.
func published(t *testing.T, data []byte) string {
	path := filepath.Join(t.TempDir(), "world.pack")
	require.NoError(t, os.WriteFile(path, data, 0o644))
	return path
}

func requirePack(t *testing.T, path string, want []byte) {
	t.Helper()
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, packfile.Hash(want), packfile.Hash(got))
	parse(t, got)
}

func requireAlone(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 1)
}

func TestPublishReplacesThePack(t *testing.T) {
	old, next := twoPacks(t)
	for name, d := range map[string]*disk.Disk{"exchange": {}, "link and rename": cannotExchange("none")} {
		t.Run(name, func(t *testing.T) {
			path := published(t, old)
			require.NoError(t, os.Chmod(path, 0o664))
			_, err := packfile.Publish(d, path, next, packfile.Hash(old))
			require.NoError(t, err)
			requirePack(t, path, next)
			requireAlone(t, path)
			info, err := os.Stat(path)
			require.NoError(t, err)
			require.Equal(t, fs.FileMode(0o664), info.Mode(), "the mode that the engine gave it")
		})
	}
}

func TestPublishMakesTheFirstPack(t *testing.T) {
	old, _ := twoPacks(t)
	for name, d := range map[string]*disk.Disk{"at once": {}, "by rename": breaking(map[string]error{"rename first pack": syscall.EINVAL})} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "world.pack")
			displaced, err := packfile.Publish(d, path, old, [32]byte{})
			require.NoError(t, err)
			require.Empty(t, displaced)
			requirePack(t, path, old)
			requireAlone(t, path)
		})
	}
}

func TestAStepThatFailsBeforeTheExchangeLeavesTheOldPackAlone(t *testing.T) {
	old, next := twoPacks(t)
	for step, d := range map[string]*disk.Disk{
		"write pack":    breaking(map[string]error{"write pack": errBroken}),
		"fsync pack":    breaking(map[string]error{"fsync pack": errBroken}),
		"exchange pack": breaking(map[string]error{"exchange pack": errBroken}),
		"link old pack": cannotExchange("link old pack"),
		"rename pack":   cannotExchange("rename pack"),
	} {
		t.Run(step, func(t *testing.T) {
			path := published(t, old)
			displaced, err := packfile.Publish(d, path, next, packfile.Hash(old))
			require.ErrorIs(t, err, errBroken)
			require.ErrorContains(t, err, step)
			require.Empty(t, displaced)
			requirePack(t, path, old)
			requireAlone(t, path)
		})
	}
}

func TestAStepThatFailsAfterTheExchangeLeavesBothPacks(t *testing.T) {
	old, next := twoPacks(t)
	for _, step := range []string{"fsync directory of pack", "remove old pack"} {
		t.Run(step, func(t *testing.T) {
			path := published(t, old)
			beside, err := packfile.Publish(breaking(map[string]error{step: errBroken}), path, next, packfile.Hash(old))
			require.ErrorIs(t, err, errBroken)
			require.NotErrorIs(t, err, packfile.ErrDisplaced)
			requirePack(t, path, next)
			requirePack(t, beside, old)
			left, err := packfile.Leftovers(path)
			require.NoError(t, err)
			require.Equal(t, []string{beside}, left)
		})
	}
}

func TestAPackThatSomeoneSavedMeanwhileIsKept(t *testing.T) {
	old, next := twoPacks(t)
	engines := encode(t, everyKind())
	packfile.SetBasedOn(engines, packfile.Hash(old))
	for name, d := range map[string]*disk.Disk{"exchange": {}, "link and rename": cannotExchange("none")} {
		t.Run(name, func(t *testing.T) {
			path := published(t, engines)
			displaced, err := packfile.Publish(d, path, next, packfile.Hash(old))
			require.ErrorIs(t, err, packfile.ErrDisplaced)
			require.ErrorContains(t, err, displaced)
			requirePack(t, path, next)
			p, err := packfile.ReadFile(displaced)
			require.NoError(t, err)
			require.Equal(t, packfile.Hash(old), p.BasedOn())
		})
	}
}

func TestAPackThatAppearsWhereThereWasNoneIsKept(t *testing.T) {
	old, next := twoPacks(t)
	path := filepath.Join(t.TempDir(), "world.pack")
	d := &disk.Disk{Fault: func(step string) error {
		if step == "rename first pack" {
			return os.WriteFile(path, old, 0o644)
		}
		return nil
	}}
	displaced, err := packfile.Publish(d, path, next, [32]byte{})
	require.ErrorIs(t, err, packfile.ErrDisplaced)
	requirePack(t, path, next)
	requirePack(t, displaced, old)
}

// An engine that saves in place has opened the old pack and not yet written:
// what it writes must not go with the file.
func TestAPackThatIsOpenForWritingIsKept(t *testing.T) {
	old, next := twoPacks(t)
	path := published(t, old)
	engine, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	defer engine.Close()
	displaced, err := packfile.Publish(&disk.Disk{}, path, next, packfile.Hash(old))
	require.ErrorIs(t, err, packfile.ErrDisplaced)
	_, err = engine.WriteAt(encode(t, everyKind()), 0)
	require.NoError(t, err)
	requirePack(t, displaced, encode(t, everyKind()))
}

func TestAPackThatIsOpenForReadingIsRemoved(t *testing.T) {
	old, next := twoPacks(t)
	path := published(t, old)
	engine, err := os.Open(path)
	require.NoError(t, err)
	defer engine.Close()
	_, err = packfile.Publish(&disk.Disk{}, path, next, packfile.Hash(old))
	require.NoError(t, err)
	requireAlone(t, path)
}

func TestPublishRefusesWhatIsNoFile(t *testing.T) {
	_, next := twoPacks(t)
	path := filepath.Join(t.TempDir(), "world.pack")
	require.NoError(t, os.Symlink("elsewhere", path))
	_, err := packfile.Publish(&disk.Disk{}, path, next, [32]byte{})
	require.ErrorContains(t, err, "is not a file")
	requireAlone(t, path)
}

func TestLeftoversAreOfThisPackAlone(t *testing.T) {
	old, _ := twoPacks(t)
	path := published(t, old)
	for _, name := range []string{".other.pack.X.next", ".world.pack.tmp", "world.pack.X.next"} {
		require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), name), nil, 0o600))
	}
	left, err := packfile.Leftovers(path)
	require.NoError(t, err)
	require.Empty(t, left)
}
