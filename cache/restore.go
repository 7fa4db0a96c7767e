package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/packstore"
	"github.com/worldfs/worldfs/internal/storage/plainfiles"
	"github.com/worldfs/worldfs/internal/storage/state"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/merge"
	"github.com/worldfs/worldfs/packfile"
)

// ErrNotKept is what restoring a pack that is not kept gives.
var ErrNotKept = errors.New("no such pack is kept (worldfs restore --list has those that are)")

// Target names a kept pack: by the beginning of its hash, or as the newest one
// that is not after a time.
type Target struct {
	Hash string    `json:"hash,omitempty"`
	At   time.Time `json:"at,omitzero"`

	AllowLoss bool `json:"allow_loss,omitempty"` // even if most entities are not in it
}

// Restored says what was restored.
type Restored struct {
	packstore.Kept
	Report
}

// Restore makes the world what it is in a kept pack. It comes in as one change
// of the world as it is, whose pack is kept: restoring that takes it back.
func (w *World) Restore(t Target) (Restored, error) {
	waits := w.Sync() // so that the state before is kept
	if waits != nil && !IsLoss(waits) {
		return Restored{}, waits
	}
	k, err := w.find(t)
	if err != nil {
		return Restored{}, err
	}
	p, err := w.packs.Get(k.Digest)
	if err == nil {
		err = p.Check()
	}
	if err != nil {
		return Restored{}, fmt.Errorf("kept pack %.12s: %w", k.Hash, err)
	}
	w.publishing.Lock()
	defer w.publishing.Unlock()
	if err := w.catchUpLocked(); err != nil {
		return Restored{}, err
	}
	v := w.snapshot(true)
	if v.lossAllowed = t.AllowLoss; waits != nil {
		if err := w.keepStateLocked(v); err != nil {
			return Restored{}, err
		}
	}
	r, err := w.takeInLocked(v, v.Overlay, p, merge.Options{})
	r.Unchanged = p.Len() - r.Created - r.Changed
	return Restored{k, r}, err
}

func (w *World) find(t Target) (packstore.Kept, error) {
	packs, err := w.Kept()
	if err != nil {
		return packstore.Kept{}, err
	}
	if t.Hash == "" {
		for _, k := range packs {
			if !k.At.After(t.At) {
				return k, nil
			}
		}
		return packstore.Kept{}, fmt.Errorf("at %s or before: %w", t.At.Local().Format(time.DateTime), ErrNotKept)
	}
	var found []packstore.Kept
	for _, k := range packs {
		if strings.HasPrefix(k.Hash, strings.ToLower(t.Hash)) {
			found = append(found, k)
		}
	}
	switch len(found) {
	case 0:
		return packstore.Kept{}, fmt.Errorf("%s: %w", t.Hash, ErrNotKept)
	case 1:
		return found[0], nil
	}
	return packstore.Kept{}, fmt.Errorf("%s is the beginning of %d kept packs' hashes; give more of it", t.Hash, len(found))
}

// Damaged says that world.pack is not whole, or nothing that a world goes on from (a
// packstore.Refused). Mend mends it.
type Damaged struct{ Err error }

func (d *Damaged) Error() string {
	return d.Err.Error() + "; worldfs restore brings the last good one back"
}

func (d *Damaged) Unwrap() error { return d.Err }

// asDamaged makes a Damaged of an error of reading the published pack that says
// so.
func asDamaged(err error) error {
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
		return nil, asDamaged(err)
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
// pack is quarantined, with the kept ones. Where the pack is whole nothing is
// done; one of a newer format is left alone.
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
		err = asDamaged(p.Check())
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
	err = refuseAtOpening(m.dir, packstore.New(m.dir, m.d, nil, store, nil), meta, p)
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
		last := k.Digest == meta.Base || k.Digest == meta.Next && meta.NextSeq != 0
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
