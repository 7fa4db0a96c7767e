// Package keptfile reads and writes files of a world's local state that have records of one
// kind, in JSON, with a version by which a later worldfs's is known.
package keptfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// file is what such a file has.
type file[T any] struct {
	Version int  `json:"version"`
	Records []*T `json:"records"`
}

// version goes up when an earlier worldfs would take a file for something else than it
// says.
const version = 1

// ErrDamaged says that such a file cannot be read. What it said is not known then, and the
// next call that keeps something replaces it.
var ErrDamaged = errors.New("it is damaged")

// Read returns the records of a file, and its contents. Files of before there were
// versions have the records alone.
func Read[T any](dir *worlddir.Dir, name string) (records []*T, data []byte, err error) {
	data, err = dir.Kept(name)
	if data == nil || err != nil {
		return nil, nil, err
	}
	name = path.Join(".worldfs", name)
	if bytes.HasPrefix(data, []byte("[")) {
		err = json.Unmarshal(data, &records)
	} else {
		var of struct{ Version int }
		if json.Unmarshal(data, &of) == nil && of.Version > version {
			return nil, data, fmt.Errorf("%s is of a later worldfs (version %d; this one knows %d): use that one", name, of.Version, version)
		}
		var f file[T]
		err = json.Unmarshal(data, &f)
		records = f.Records
	}
	if err != nil {
		return nil, data, fmt.Errorf("%s: %w (%w)", name, ErrDamaged, err)
	}
	return slices.DeleteFunc(records, func(r *T) bool { return r == nil }), data, nil
}

// Format returns what a file of records has.
func Format[T any](records []*T) ([]byte, error) {
	return json.Marshal(file[T]{version, records})
}
