package cache

import (
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/worldfs/worldfs/disk"
	"github.com/worldfs/worldfs/packfile"
)

// Recent packs stay as bases for what comes in later: at most so many, and not
// for longer than so.
const (
	keepPacks   = 16
	keepPackFor = 14 * 24 * time.Hour
)

func (w *World) keptPack(hash [32]byte) string {
	return filepath.Join(w.dir.PacksPath(), hex.EncodeToString(hash[:]))
}

// keep puts a copy of a pack with the kept ones. It is a copy and no link: an
// engine may write over world.pack in place. It need not be durable, since
// whoever reads it checks its hash; and where it cannot be made the world goes
// on without.
func (w *World) keep(p *packfile.Pack) {
	path := w.keptPack(p.Hash())
	if _, err := os.Lstat(path); err == nil || p.Len() == 0 {
		return
	}
	temp := disk.Beside(path, "tmp")
	err := os.MkdirAll(w.dir.PacksPath(), 0o700)
	if err == nil {
		err = os.WriteFile(temp, p.Bytes(), 0o600)
	}
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err == nil {
		err = w.pruneKept()
	}
	if err != nil {
		w.log.Warn("the pack could not be kept as a base", "error", err)
		_ = os.Remove(temp) // the first error is the one to tell
	}
}

// keepDurably puts a copy of a pack that is about to be needed as a base with
// the kept ones, so that it is there after a power cut, too.
func (w *World) keepDurably(p *packfile.Pack) {
	if p.Len() == 0 {
		return
	}
	w.keep(p)
	err := w.disk.SyncFile("kept pack", w.keptPack(p.Hash()))
	if err == nil {
		err = w.disk.SyncDir("kept pack", w.dir.PacksPath())
	}
	if err != nil {
		w.log.Warn("the base of the plain files may not outlast a power cut", "error", err)
	}
}

// kept returns a pack that was kept.
func (w *World) kept(hash [32]byte) (*packfile.Pack, error) {
	if hash == ([32]byte{}) {
		return nil, fs.ErrNotExist
	}
	p, err := packfile.ReadFile(w.keptPack(hash))
	if err == nil && p.Hash() != hash {
		err = fmt.Errorf("kept pack %x is not what it was", hash[:8])
	}
	return p, err
}

// sweep looks at the packs that a publishing which was cut short has left
// beside the pack. What another program saved is taken in; what cannot be read
// is put with the kept packs, for a person to look at.
func (w *World) sweep(m meta) error {
	paths, err := packfile.Leftovers(w.dir.PackPath())
	if err != nil {
		return err
	}
	for _, path := range paths {
		p, err := packfile.ReadFile(path)
		if err == nil {
			err = p.Check()
		}
		switch {
		case err != nil:
			w.log.Warn("a pack that cannot be read was put aside", "path", path, "error", err)
			err = w.putAside(path)
		case w.knows(p, m):
			err = w.disk.Remove("left pack", path)
		default:
			err = w.takeInDisplaced(path, w.pack)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// knows reports whether a pack is one that we published or were about to.
func (w *World) knows(p *packfile.Pack, m meta) bool {
	hash := p.Hash()
	if hash == m.base || hash == m.next || hash == w.pack.Hash() {
		return true
	}
	_, err := os.Lstat(w.keptPack(hash))
	return err == nil
}

func (w *World) putAside(path string) error {
	if err := os.MkdirAll(w.dir.PacksPath(), 0o700); err != nil {
		return fmt.Errorf("put a pack aside: %w", err)
	}
	return w.disk.Rename("unreadable pack", path, filepath.Join(w.dir.PacksPath(), "unreadable"+filepath.Base(path)))
}

// pruneKept removes kept packs that are too old or too many.
func (w *World) pruneKept() error {
	entries, err := os.ReadDir(w.dir.PacksPath())
	if err != nil {
		return fmt.Errorf("look at kept packs: %w", err)
	}
	type kept struct {
		path string
		at   time.Time
	}
	pinned, err := w.pinned()
	if err != nil {
		return err
	}
	var packs []kept
	for _, e := range entries {
		if hash, err := hex.DecodeString(e.Name()); err == nil && len(hash) == len(packHash{}) && pinned[packHash(hash)] {
			continue
		}
		if info, err := e.Info(); err == nil {
			packs = append(packs, kept{filepath.Join(w.dir.PacksPath(), e.Name()), info.ModTime()})
		}
	}
	slices.SortFunc(packs, func(a, b kept) int { return b.at.Compare(a.at) })
	for i, p := range packs {
		if i < keepPacks && (i == 0 || w.now().Sub(p.at) < keepPackFor) {
			continue
		}
		if err := w.disk.Remove("kept pack", p.path); err != nil {
			return err
		}
	}
	return nil
}
