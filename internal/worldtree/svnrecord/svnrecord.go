// Package svnrecord keeps what an operation of svn was about, from one call of resolve to the
// next: in .worldfs/resolve-svn.json, with a sum by which one that is damaged is known.
//
// It has texts that are nowhere else, and says which files are to be resolved as what. So
// nothing is done by a record that is not whole.
package svnrecord

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

const version = 1

// file is what the file has.
type file struct {
	Version int             `json:"version"`
	Sum     string          `json:"sum"` // of Record
	Record  json.RawMessage `json:"record"`

	// Builds that kept the record without a sum have these in its place.
	Operation string                     `json:"Operation,omitempty"`
	Files     map[string]json.RawMessage `json:"Files,omitempty"`
}

// isWithoutSum reports whether a file is a record that an earlier build kept.
func (f *file) isWithoutSum() bool {
	whole := f.Version == 0 && f.Sum == "" && f.Operation != "" && f.Files != nil
	for _, kept := range f.Files {
		whole = whole && string(kept) != "null"
	}
	return whole
}

// ErrDamaged says that a record cannot be read.
var ErrDamaged = errors.New(".worldfs/" + worlddir.SVNMergeName + " is damaged")

// Read returns the record of a world, nil if there is none.
func Read(dir *worlddir.Dir) ([]byte, error) {
	data, err := dir.Kept(worlddir.SVNMergeName)
	if data == nil || err != nil {
		return nil, err
	}
	var f file
	err = json.Unmarshal(data, &f)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	case f.Version > version:
		return nil, fmt.Errorf(".worldfs/%s is of a later worldfs (version %d; this one knows %d): use that one", worlddir.SVNMergeName, f.Version, version)
	case f.isWithoutSum():
		return data, nil
	case f.Sum != sumOf(f.Record):
		return nil, ErrDamaged
	}
	return f.Record, nil
}

// Keeper returns what keeps a world's record, which is compact JSON. replace replaces a file
// of its local state.
func Keeper(dir *worlddir.Dir, replace func(dir *worlddir.Dir, name string, data []byte) error) func(record []byte) error {
	return func(record []byte) error {
		data, err := json.Marshal(file{Version: version, Sum: sumOf(record), Record: record})
		if err != nil {
			return err
		}
		return replace(dir, worlddir.SVNMergeName, data)
	}
}

func sumOf(record []byte) string {
	sum := sha256.Sum256(record)
	return hex.EncodeToString(sum[:])
}
