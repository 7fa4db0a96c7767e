// Package mend finds out whether a world can go on from the pack at world.pack, and brings the
// last good one into the place of one from which it cannot.
//
// What lay there is put aside and never removed, and nothing is done where the pack is whole,
// unless it is a ship build.
// Mend works on a world directory that is not open, whose lock the caller holds.
package mend

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/packstore"
	"github.com/worldfs/worldfs/internal/storage/plainfiles"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/packfile"
)

// Damaged says that world.pack is not whole, or nothing that a world goes on from (a
// packstore.Refused). Mend mends it.
type Damaged struct{ Err error }

func (d *Damaged) Error() string {
	return d.Err.Error() + "; worldfs restore brings the last good one back"
}

func (d *Damaged) Unwrap() error { return d.Err }

// AsDamaged makes a Damaged of an error of reading the published pack that says
// so.
func AsDamaged(err error) error {
	if packstore.IsRefused(err) {
		return &Damaged{err}
	}
	for _, sentinel := range []error{packfile.ErrMagic, packfile.ErrTruncated, packfile.ErrChecksum, packfile.ErrCorrupt} {
		if errors.Is(err, sentinel) {
			return &Damaged{err}
		}
	}
	return err
}

// ReadPublished reads the published pack of a world directory. Where it is
// damaged the error is a *Damaged.
func ReadPublished(dir *worlddir.Dir) (*packfile.Pack, error) {
	p, err := packfile.ReadFile(dir.PackPath())
	if err != nil {
		return nil, AsDamaged(err)
	}
	return p, nil
}

// Mended says what Mend did.
type Mended struct {
	Damage string         `json:"damage"` // what was wrong, "" if nothing was
	Aside  string         `json:"aside"`  // where the damaged pack is now
	From   packstore.Kept `json:"from"`   // the kept pack in its place; the zero Kept: none was whole
	Last   bool           `json:"last"`   // that is the last one published: nothing is lost

	State state.Mended `json:"state"` // what became of a damaged state
	d     *disk.Disk
	dir   *worlddir.Dir
	why   error
}

// Mend brings a good pack into the place of one that is damaged, in a world
// directory whose lock the caller holds and which is not open: the last one
// that was published, where it was kept; else the newest that is kept, and else
// none. In the last two cases what is known of the plain files is forgotten, so
// that the next process to open the world takes in all of them, in full. The damaged
// pack is quarantined, with the kept ones, and so is a whole one that is a ship build.
// Where there is nothing to mend nothing is done; a pack of a newer format and one of
// another world are left alone.
func Mend(dir *worlddir.Dir, d *disk.Disk) (Mended, error) {
	if d == nil {
		d = &disk.Disk{}
	}
	m := Mended{d: d, dir: dir}
	if err := m.mendState(); err != nil {
		return m, err
	}
	p, err := ReadPublished(dir)
	if err == nil {
		err = AsDamaged(p.Check())
	}
	if err == nil {
		err = m.refused(p)
	}
	var damaged *Damaged
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return m, nil
	} else if !errors.As(err, &damaged) {
		return m, err
	}
	m.Damage, m.why = damaged.Err.Error(), damaged
	store, meta, err := state.Open(dir, d, nil, false)
	if err != nil {
		return m, err
	}
	err = m.mend(store, meta)
	return m, errors.Join(err, store.Close())
}

// refused returns a *Damaged where the pack is whole and nothing to go on from.
func (m *Mended) refused(p *packfile.Pack) error {
	if p.World() != m.dir.ID || !p.IsBasedOnItself() {
		return nil
	}
	store, meta, err := state.Open(m.dir, m.d, nil, false)
	if err != nil {
		return err
	}
	err = RefuseAtOpening(m.dir, packstore.New(m.dir, m.d, nil, store, nil), meta, p)
	return errors.Join(err, store.Close())
}

// mendState mends state.db and its log, where they are damaged.
func (m *Mended) mendState() (err error) {
	store, _, err := state.Open(m.dir, m.d, nil, false)
	if err == nil {
		return store.Close()
	}
	var damage *state.Damage
	if !errors.As(err, &damage) {
		return err
	}
	m.State, err = state.Mend(m.dir, m.d, damage)
	return err
}

func (m *Mended) mend(store *state.Store, meta state.Meta) error {
	packs := packstore.New(m.dir, m.d, nil, store, nil)
	kept, err := packs.List()
	if err != nil {
		return err
	}
	var good *packfile.Pack
	for _, k := range kept {
		last := isLast(k.Digest, meta)
		if good != nil && !last || k.Saved && !last {
			continue
		}
		p, err := packs.Get(k.Digest)
		if err != nil || p.Check() != nil || p.World() != m.dir.ID {
			continue
		}
		good, m.From, m.Last = p, k, last
		if last {
			break
		}
	}
	if good == nil && !hasPlainFiles(m.dir) {
		return fmt.Errorf("%s: there is no whole pack in %s and there are no plain files to make one of; the pack is left as it is",
			m.Damage, m.dir.PacksPath())
	}
	if m.Aside, err = packs.MoveToQuarantine(m.dir.PackPath(), m.why); err != nil {
		return err
	}
	if !m.Last {
		if err := store.ForgetPlain(hashOf(good)); err != nil {
			return err
		}
	}
	if good == nil {
		return nil
	}
	return m.d.WriteAtomic("pack", m.dir.PackPath(), good.Bytes(), 0o644)
}

// hashOf returns a pack's hash, zero for none.
func hashOf(p *packfile.Pack) (hash [32]byte) {
	if p != nil {
		hash = p.Hash()
	}
	return hash
}

func hasPlainFiles(dir *worlddir.Dir) bool {
	for _, path := range []string{dir.EntitiesPath(), dir.PlainPath()} {
		files, err := plainfiles.List(path, dir.Settings.Shard)
		if err == nil && len(files) > 0 {
			return true
		}
	}
	return false
}

// RefuseAtOpening returns a *Damaged for a pack at world.pack, of this world, that is
// nothing to go on from. The one that the world went on from last is none of those.
func RefuseAtOpening(dir *worlddir.Dir, packs *packstore.Store, m state.Meta, p *packfile.Pack) error {
	if !p.IsBasedOnItself() || isLast(p.Hash(), m) {
		return nil
	}
	var types *entity.Types
	editor, err := packs.Get(m.Base)
	if err != nil {
		editor = nil // it is not kept
	}
	if editor == nil || editor.Len() == 0 { // what types/ declares says what the world has
		if types, _, err = typefile.ReadDir(dir.TypesPath()); err != nil {
			return err
		}
	}
	if err := packs.Refuse(p, editor, types); err != nil {
		return AsDamaged(fmt.Errorf("%s is %w", dir.PackPath(), err))
	}
	return nil
}

// isLast reports whether a pack is the one that was published last, perhaps by a publishing
// that was cut short.
func isLast(hash [32]byte, m state.Meta) bool {
	return hash == m.Base || hash == m.Next && m.NextSeq != 0
}
