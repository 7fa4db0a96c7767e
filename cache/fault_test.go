package cache_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/packfile"
)

var errBreak = errors.New("it broke here")

// breakAt has a step fail from now on, "" none.
func (b *bench) breakAt(step string) {
	b.w.SetFault(func(s string) error {
		if s == step {
			return errBreak
		}
		return nil
	})
}

// steps are those of a checkpoint, as a run of one names them.
func stepsOfACheckpoint(t *testing.T) (steps []string) {
	b := newBench(t, 3)
	b.write(2, lampText(2, 60))
	b.w.SetFault(func(s string) error { steps = append(steps, s); return nil })
	require.NoError(t, b.w.Sync())
	require.Contains(t, steps, "exchange pack")
	// A program may write over the pack at any time, and the power fail before it has
	// ended: what the pack had is then in the copy alone.
	require.Contains(t, steps[slices.Index(steps, "exchange pack"):], "fsync kept pack")
	return steps
}

func TestEachStepOfACheckpointCanFailAndNothingIsLost(t *testing.T) {
	for _, step := range stepsOfACheckpoint(t) {
		t.Run(step, func(t *testing.T) {
			b := newBench(t, 3)
			b.breakAt(step) // before the write: a slow machine may publish that by itself
			f := b.write(2, lampText(2, 60))
			require.NoError(t, f.Sync())
			if err := b.w.Sync(); step == "remove old pack" || strings.HasSuffix(step, "kept pack") {
				require.NoError(t, err, "nobody needs that")
			} else {
				require.ErrorIs(t, err, errBreak)
			}
			p, err := packfile.ReadFile(b.dir.PackPath())
			require.NoError(t, err, "the old pack or the new one, whole")
			require.NoError(t, p.Check())
			require.Equal(t, lampText(2, 60), b.text(2))

			b.crash()
			require.Equal(t, lampText(2, 60), b.text(2), "after a crash")
			b.write(3, lampText(3, 70))
			require.NoError(t, b.w.Sync())
			require.Equal(t, 60, b.published(2))
			require.Equal(t, 70, b.published(3))
			left, err := packfile.Leftovers(b.dir.PackPath())
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

func TestACheckpointThatFailedIsDoneAgain(t *testing.T) {
	for _, step := range stepsOfACheckpoint(t) {
		t.Run(step, func(t *testing.T) {
			b := newBench(t, 3)
			b.write(2, lampText(2, 60))
			b.breakAt(step)
			_ = b.w.Sync() // whether it fails is the other test's
			b.breakAt("")
			b.write(2, lampText(2, 61))
			require.NoError(t, b.w.Sync())
			require.Equal(t, 61, b.published(2))
			b.reopen()
			require.Equal(t, lampText(2, 61), b.text(2))
		})
	}
}

func TestAnIntakeThatFailsLeavesTheWorldAsItWas(t *testing.T) {
	for _, step := range []string{"write pack", "fsync pack", "exchange pack"} {
		t.Run(step, func(t *testing.T) {
			b := newBench(t, 3)
			before := b.attr(2)
			b.breakAt(step)
			_, err := b.w.Import(cache.Intake{Entities: []*entity.Entity{lamp(2, lampType(), 20)}})
			require.ErrorIs(t, err, errBreak)
			require.Equal(t, lampText(2, 2), b.text(2))
			require.Equal(t, before, b.attr(2))
			b.crash()
			require.Equal(t, lampText(2, 2), b.text(2))
		})
	}
}

func TestAnIntakeThatCrashesAfterTheExchangeHasNewTimes(t *testing.T) {
	b := newBench(t, 3)
	before := b.attr(2)
	b.breakAt("fsync directory of pack")
	_, err := b.w.Import(cache.Intake{Entities: []*entity.Entity{lamp(2, lampType(), 20)}})
	require.ErrorIs(t, err, errBreak)
	b.crash()
	require.Equal(t, lampText(2, 20), b.text(2))
	require.True(t, b.attr(2).Mtime.After(before.Mtime), "or git would not look at it")
	require.Equal(t, before.Ino, b.attr(2).Ino)
}

func TestADamagedPackIsNamedAndLeftAlone(t *testing.T) {
	b := newBench(t, 3)
	require.NoError(t, b.w.Close())
	b.w = nil
	data, err := os.ReadFile(b.dir.PackPath())
	require.NoError(t, err)
	for _, bad := range [][]byte{data[:len(data)/2], append(append([]byte{}, data[:len(data)-5]...), data[len(data)-5]^1, 0, 0, 0, 0)} {
		require.NoError(t, os.WriteFile(b.dir.PackPath(), bad, 0o644))
		_, err = cache.Open(b.dir, cache.Options{Disk: &disk.Disk{}})
		require.Error(t, err)
		require.True(t, strings.Contains(err.Error(), "section") || strings.Contains(err.Error(), "header") ||
			strings.Contains(err.Error(), "truncated") || strings.Contains(err.Error(), "offset"), err.Error())
		got, err := os.ReadFile(b.dir.PackPath())
		require.NoError(t, err)
		require.Equal(t, bad, got)
	}
}

func TestAMissingPackComesBack(t *testing.T) {
	b := newBench(t, 3)
	b.write(2, lampText(2, 60))
	require.NoError(t, b.w.Sync())
	b.write(2, lampText(2, 61))
	require.NoError(t, b.w.Sync())
	b.w.Crash()
	require.NoError(t, os.Remove(b.dir.PackPath()))
	b.open()
	require.NoError(t, b.w.Sync())
	require.Equal(t, []entity.ID{1, 2, 3}, b.w.IDs(0, 10))
}

func TestAnAdoptThatCannotBeMadeDurableIsUndone(t *testing.T) {
	b := newBench(t, 3)
	a := b.attr(1)
	a.Ino = 1 << 40
	b.w.BreakState()
	_, err := b.w.Adopt(2, a, []byte("new"), false)
	require.Error(t, err)
	_, err = b.w.Adopt(9, a, []byte("new"), false)
	require.Error(t, err)
	require.Equal(t, lampText(2, 2), b.text(2))
	require.Equal(t, []entity.ID{1, 2, 3}, b.w.IDs(0, 10))
	b.w = nil // its state is closed
}
