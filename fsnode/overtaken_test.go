package fsnode_test

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
)

// TestNoAnswerOvertakesANotice changes entities behind the kernel's back just when
// the kernel learns their attributes because somebody sets them. It goes by those
// of the world afterwards.
// It shows invariant 8.
func TestNoAnswerOvertakesANotice(t *testing.T) {
	const files, rounds = 4, 200
	r := newRig(t, files)
	p := newParty(r, 1, files, 1)
	for i := range rounds {
		id := p.ids[i%files]
		watts := [2]uint64{1, 10000}[i/files%2] + uint64(i%9)
		wait := time.Duration(p.random.IntN(1000)) * time.Microsecond
		var both sync.WaitGroup
		both.Go(func() {
			p.ok(os.Chmod(r.path(p.name(id)), 0o600+os.FileMode(i%8)))
		})
		time.Sleep(wait)
		p.took(cache.Intake{Entities: []*entity.Entity{p.lamp(id, watts)}})
		both.Wait()
		require.NoError(t, errors.Join(p.checkAttr(id), p.checkBytes(id)), "round %d", i)
	}
}

// checkBytes compares the bytes that are read, and how many there are said to be,
// with those that the world has.
func (p *party) checkBytes(id entity.ID) error {
	file, err := p.world.Lookup(id)
	if err != nil {
		return err
	}
	want, err := file.Text()
	if err != nil {
		return err
	}
	info, err := os.Lstat(p.path(p.name(id)))
	if err != nil {
		return err
	}
	if got := p.read(p.name(id)); got != string(want) || info.Size() != int64(len(want)) {
		return fmt.Errorf("has %d bytes, %q, and the world %q", info.Size(), got, want)
	}
	return nil
}

// TestAFileThatIsOverwrittenAgainIsNotAskedAbout: of what a program does itself the
// kernel needs to ask next to nothing.
func TestAFileThatIsOverwrittenAgainIsNotAskedAbout(t *testing.T) {
	if noKernelCache {
		t.Skip("the kernel asks each second")
	}
	r := newRig(t, 1)
	for _, name := range []string{"1.entity_text", "notes"} {
		r.write(name, "one\n")
		r.write(name, "two\n")
		before := r.mount.Requests()
		r.write(name, "three\n")
		after := r.mount.Requests()
		require.Equal(t, before["getattr"], after["getattr"], name)
		require.LessOrEqual(t, after["getxattr"], before["getxattr"]+1, name)
		require.Equal(t, "three\n", r.read(name))
	}
}
