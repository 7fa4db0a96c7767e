package fsnode_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/merge"
	"github.com/worldfs/worldfs/textcodec"
)

// TestNothingIsEverStale changes files from every side at once: through the
// mount in every way that tools do, and behind the kernel's back as imports and
// undo do. After each change names, listings, sizes, contents, inode numbers and
// times are what they should be, whoever asks.
// It shows invariant 7.
func TestNothingIsEverStale(t *testing.T) {
	const sides, own, rounds = 4, 6, 60
	r := newRig(t, sides*own)
	var group sync.WaitGroup
	for side := range sides {
		p := newParty(r, entity.ID(side*own+1), own, uint64(side))
		group.Go(func() {
			for range rounds {
				if !p.step() {
					return
				}
			}
		})
	}
	group.Wait()
}

// party changes files that nobody else does and knows what they should be.
type party struct {
	*rig
	random *rand.Rand
	typ    *entity.Type
	ids    []entity.ID
	watts  map[entity.ID]uint64 // of the files that exist
	inos   map[entity.ID]uint64 // as last seen
	did    []string
}

func newParty(r *rig, first entity.ID, n int, seed uint64) *party {
	p := &party{
		rig: r, random: rand.New(rand.NewPCG(7, seed)), typ: lampType(),
		watts: map[entity.ID]uint64{}, inos: map[entity.ID]uint64{},
	}
	for i := range entity.ID(n) {
		p.ids = append(p.ids, first+i)
		p.watts[first+i] = uint64(first+i) % 1000
	}
	return p
}

func (p *party) lamp(id entity.ID, watts uint64) *entity.Entity {
	e := entity.New(id, p.typ.Current())
	e.Values[0] = entity.NewUint(entity.KindU16, watts)
	return e
}

func (p *party) text(id entity.ID) string {
	return string(textcodec.Append(nil, p.lamp(id, p.watts[id])))
}

func (p *party) name(id entity.ID) string { return fmt.Sprintf("%d.entity_text", id) }

// step changes one file and looks at all of them, and reports whether all was
// well.
func (p *party) step() bool {
	id := p.ids[p.random.IntN(len(p.ids))]
	what := p.change(id, 1+uint64(p.random.IntN(60000)))
	p.did = append(p.did, fmt.Sprintf("%s %d", what, id))
	for _, id := range p.ids {
		if err := p.check(id); err != nil {
			p.Errorf("%s: %v; last: %s", p.name(id), err, strings.Join(p.did[max(0, len(p.did)-8):], ", "))
			return false
		}
	}
	if err := p.checkListing(); err != nil {
		p.Errorf("listing: %v; last: %s", err, strings.Join(p.did[max(0, len(p.did)-8):], ", "))
		return false
	}
	return true
}

// change makes an entity be, with a value, or not be.
func (p *party) change(id entity.ID, watts uint64) (what string) {
	path := p.path(p.name(id))
	_, exists := p.watts[id]
	switch p.random.IntN(9) {
	case 0, 1, 2:
		p.watts[id] = watts
		p.took(cache.Intake{Entities: []*entity.Entity{p.lamp(id, watts)}})
		return "import"
	case 3:
		p.removeBehind(id)
		return "remove behind"
	case 4:
		if !exists {
			break
		}
		p.ok(os.Remove(path))
		delete(p.watts, id)
		delete(p.inos, id)
		return "rm"
	case 5:
		p.watts[id] = watts
		delete(p.inos, id)
		p.ok(os.WriteFile(path+".tmp", []byte(p.text(id)), 0o644))
		p.ok(os.Rename(path+".tmp", path))
		return "temp and rename"
	case 6:
		if !exists {
			break
		}
		p.watts[id] = watts
		delete(p.inos, id)
		p.ok(os.Rename(path, path+"~"))
		p.ok(os.WriteFile(path, []byte(p.text(id)), 0o644))
		p.ok(os.Remove(path + "~"))
		return "backup and anew"
	case 7:
		p.watts[id] = watts
		out, err := exec.Command("sh", "-c", `printf %s "$2" > "$1"`, "sh", path, strings.TrimSuffix(p.text(id), "\n")).CombinedOutput()
		p.ok(err, string(out))
		p.ok(appendTo(path, "\n"))
		return "shell"
	}
	p.watts[id] = watts
	p.ok(os.WriteFile(path, []byte(p.text(id)), 0o644))
	return "write"
}

func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

func (p *party) ok(err error, more ...any) {
	if err != nil {
		p.Errorf("%v %v", err, more)
	}
}

// took takes in as the daemon does for a command: the kernel has been told when
// it returns.
func (p *party) took(in cache.Intake) {
	_, err := p.world.Import(in)
	p.ok(err)
	p.mount.WaitNotified()
}

// removeBehind deletes an entity by a change set.
func (p *party) removeBehind(id entity.ID) {
	delete(p.watts, id)
	delete(p.inos, id)
	_, err := p.world.Edit(cache.Cause{By: cache.ByApply}, func(v *cache.View) (base, theirs entity.Source, err error) {
		return v.Overlay, entity.NewOverlay(v.Overlay, map[entity.ID]*entity.Entity{id: nil}), nil
	}, merge.Options{})
	p.ok(err)
	p.mount.WaitNotified()
}

// check looks at one file in every way.
func (p *party) check(id entity.ID) error {
	path := p.path(p.name(id))
	info, err := os.Lstat(path)
	if _, exists := p.watts[id]; !exists {
		if !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("lstat gives %v, and it should not exist", err)
		}
		if _, err := os.ReadFile(path); !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("reading gives %v, and it should not exist", err)
		}
		return nil
	}
	if err != nil {
		return err
	}
	want := p.text(id)
	got, err := os.ReadFile(path)
	switch {
	case err != nil:
		return err
	case string(got) != want:
		return fmt.Errorf("holds %q and not %q", got, want)
	case info.Size() != int64(len(want)):
		return fmt.Errorf("has %d bytes and not %d", info.Size(), len(want))
	}
	return p.checkAttr(id)
}

// checkAttr compares what the kernel remembers with what the world knows.
func (p *party) checkAttr(id entity.ID) error {
	file, err := p.world.Lookup(id)
	if err != nil {
		return err
	}
	a, err := file.Attr()
	if err != nil {
		return err
	}
	info, err := os.Lstat(p.path(p.name(id)))
	if err != nil {
		return err
	}
	st := p.stat(p.name(id))
	before, known := p.inos[id]
	p.inos[id] = st.Ino
	switch {
	case st.Ino != a.Ino:
		return fmt.Errorf("has inode number %d and not %d", st.Ino, a.Ino)
	case known && before != st.Ino:
		return fmt.Errorf("has inode number %d and had %d", st.Ino, before)
	case !info.ModTime().Equal(a.Mtime):
		return fmt.Errorf("has mtime %v and not %v", info.ModTime(), a.Mtime)
	case st.Nlink != 1:
		return fmt.Errorf("has %d links", st.Nlink)
	}
	return nil
}

// checkListing looks for the party's files in the listing.
func (p *party) checkListing() error {
	entries, err := os.ReadDir(p.mnt)
	if err != nil {
		return err
	}
	listed := map[string]bool{}
	for _, e := range entries {
		listed[e.Name()] = true
	}
	for _, id := range p.ids {
		_, exists := p.watts[id]
		if listed[p.name(id)] != exists {
			return fmt.Errorf("%s is listed: %t, and should be: %t", p.name(id), !exists, exists)
		}
	}
	return nil
}
