package cache

import (
	"encoding/binary"
	"fmt"
)

// Most commands change nothing. For those it is known that the plain files are
// as they should be without rendering every entity: when all were brought in
// step with the published pack, the number of the last edit was noted; if that
// is still the last, the pack the same, and each file found as it was left,
// there is nothing to write.

// edits returns the number of the last edit, counted from 1: 0 is no number.
func (w *World) edits() uint64 {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.seq + 1
}

// notePlainInStep notes that all plain files are in step. The caller has
// publishing.
func (w *World) notePlainInStep() error {
	have, err := w.store.meta(keyPlain)
	if err != nil {
		return fmt.Errorf("note the plain files: %w", err)
	}
	want := binary.LittleEndian.AppendUint64(nil, w.edits())
	if string(have) == string(want) {
		return nil
	}
	if err := w.store.putMeta(keyPlain, want); err != nil {
		return fmt.Errorf("note the plain files: %w", err)
	}
	return nil
}

// seePlainInStep notes, for this process, whether the plain files that were
// just looked at are all there is to have and in step. The caller has
// publishing.
func (w *World) seePlainInStep(p *plainScan) error {
	w.plainSeen = 0
	if len(p.texts)+len(p.gone)+len(p.notes)+len(p.misplaced) > 0 || p.files != w.Len() || !w.isPublished(w.snapshot(true)) {
		return nil
	}
	for _, s := range p.known {
		if s.base != baseCommon {
			return nil
		}
	}
	noted, err := w.store.meta(keyPlain)
	if err != nil {
		return fmt.Errorf("read what is known of the plain files: %w", err)
	}
	bases, err := w.store.bases()
	if err != nil {
		return fmt.Errorf("read what is known of the plain files: %w", err)
	}
	if len(noted) == 8 && binary.LittleEndian.Uint64(noted) == w.edits() &&
		len(bases) == 1 && bases[baseCommon] == w.pack.Hash() {
		w.plainSeen = w.edits()
	}
	return nil
}

// PlainInStep reports whether this process has found the plain files of
// entities/ in step, and nothing has changed since.
func (w *World) PlainInStep() bool {
	w.publishing.Lock()
	defer w.publishing.Unlock()
	return w.plainSeen == w.edits()
}
