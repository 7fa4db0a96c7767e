package state

import (
	"github.com/worldfs/worldfs/internal/storage/fileattr"
)

// Seen is how world.pack and types/ were when they were last found to be in
// step with state.db. A world that is opened as it was left need not compute
// the pack's hash, compare its bytes or read the types once more.
type Seen struct {
	Pack  fileattr.Stamp // of world.pack; zero where that is not known
	Hash  [32]byte       // what it held
	Types string         // the stamp of types/, which declared the types of that pack; "" where that is not known
}

const seenSize = fileattr.StampSize + 32 // and then the types

func (s Seen) append(dst []byte) []byte {
	return append(append(s.Pack.Append(dst), s.Hash[:]...), s.Types...)
}

// parseSeen reads what append wrote, the zero seen where there is none.
func parseSeen(b []byte) (s Seen) {
	if len(b) < seenSize {
		return s
	}
	s.Pack = fileattr.ParseStamp(b)
	copy(s.Hash[:], b[fileattr.StampSize:])
	s.Types = string(b[seenSize:])
	return s
}

// AddsTo reports whether there is anything in s that was not known.
func (s Seen) AddsTo(known Seen) bool {
	if s.Pack == (fileattr.Stamp{}) {
		return s.Types != "" && (s.Hash != known.Hash || s.Types != known.Types)
	}
	return s != known
}
