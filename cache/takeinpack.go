package cache

import (
	"fmt"

	"github.com/worldfs/worldfs/packfile"
)

// takeInDisplaced takes in a pack that another program saved while ours was
// being published, and then removes it.
func (w *World) takeInDisplaced(path string, known *packfile.Pack) error {
	if path == "" {
		return nil
	}
	p, err := packfile.ReadFile(path)
	if err == nil {
		err = p.Check()
	}
	if err != nil {
		return fmt.Errorf("take in the pack that was saved meanwhile: %w; it is kept", err)
	}
	if err := w.takeInPack(p, known); err != nil {
		return err
	}
	return w.disk.Remove("displaced pack", path)
}

// takeInPack takes in a pack that another program saved: what it changed since
// the pack that it had loaded, which is the one it names, or else the one that
// was published then.
func (w *World) takeInPack(p, published *packfile.Pack) error {
	if p.World() != w.dir.ID {
		return ErrOtherWorld
	}
	if err := w.settle(true); err != nil {
		return err
	}
	base, err := w.kept(p.BasedOn())
	if err != nil {
		base = published
	}
	options, err := MergeOptions(w.dir)
	if err != nil {
		w.log.Warn("merging goes on without ID ranges", "error", err)
	}
	r, err := w.takeIn(w.snapshot(true), base, p, options)
	if err != nil {
		return err
	}
	w.log.Info("took in a pack that another program saved", "created", r.Created, "changed", r.Changed,
		"deleted", r.Deleted, "conflicts", len(r.Conflicts), "noise", r.Noise)
	return nil
}
