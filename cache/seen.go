package cache

import (
	"github.com/worldfs/worldfs/internal/fileattr"
)

// seen is how world.pack and types/ were when they were last found to be in
// step with state.db. A world that is opened as it was left need not compute
// the pack's hash, compare its bytes or read the types once more.
type seen struct {
	pack  fileattr.Stamp // of world.pack; zero where that is not known
	hash  [32]byte       // what it held
	types string         // the stamp of types/, which declared the types of that pack; "" where that is not known
}

const seenSize = fileattr.StampSize + 32 // and then the types

func (s seen) append(dst []byte) []byte {
	return append(append(s.pack.Append(dst), s.hash[:]...), s.types...)
}

// parseSeen reads what append wrote, the zero seen where there is none.
func parseSeen(b []byte) (s seen) {
	if len(b) < seenSize {
		return s
	}
	s.pack = fileattr.ParseStamp(b)
	copy(s.hash[:], b[fileattr.StampSize:])
	s.types = string(b[seenSize:])
	return s
}

// noteSeen notes how world.pack and types/ are, as far as that is known: what
// changed within the last tick of the clock can change again and look the same.
// Of a pack that was written just now that leaves the types that it declares.
// Where it cannot be noted, opening the world takes longer.
func (w *World) noteSeen() {
	w.publishing.Lock()
	defer w.publishing.Unlock()
	now := seen{pack: w.saves.ours, hash: w.pack.Hash()}
	if w.typeIn.stood && len(w.typeIn.findings) == 0 {
		now.types = w.typeIn.stamp
	}
	if !now.addsTo(w.seen) {
		return
	}
	if err := w.store.putMeta(keySeen, now.append(nil)); err != nil {
		w.log.Warn("how the world was left is not noted", "error", err)
	}
}

// addsTo reports whether there is anything in s that was not known.
func (s seen) addsTo(known seen) bool {
	if s.pack == (fileattr.Stamp{}) {
		return s.types != "" && (s.hash != known.hash || s.types != known.types)
	}
	return s != known
}
