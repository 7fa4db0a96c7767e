package resolve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// Keep replaces a file of a world's local state.
type Keep func(dir *worlddir.Dir, name string, data []byte) error

// keptFile is what such a file has.
type keptFile[T any] struct {
	Version int  `json:"version"`
	Records []*T `json:"records"`
}

// keptVersion goes up when an earlier worldfs would take a file for something else than it
// says.
const keptVersion = 1

// errDamaged says that such a file cannot be read. What it said is not known then, and the
// next call that keeps something replaces it.
var errDamaged = errors.New("it is damaged")

// readKept returns the records of a file, and its contents. Files of before there were
// versions have the records alone.
func readKept[T any](dir *worlddir.Dir, name string) (records []*T, data []byte, err error) {
	data, err = dir.Kept(name)
	if data == nil || err != nil {
		return nil, nil, err
	}
	name = path.Join(".worldfs", name)
	if bytes.HasPrefix(data, []byte("[")) {
		err = json.Unmarshal(data, &records)
	} else {
		var of struct{ Version int }
		if json.Unmarshal(data, &of) == nil && of.Version > keptVersion {
			return nil, data, fmt.Errorf("%s is of a later worldfs (version %d; this one knows %d): use that one", name, of.Version, keptVersion)
		}
		var file keptFile[T]
		err = json.Unmarshal(data, &file)
		records = file.Records
	}
	if err != nil {
		return nil, data, fmt.Errorf("%s: %w (%w)", name, errDamaged, err)
	}
	return slices.DeleteFunc(records, func(r *T) bool { return r == nil }), data, nil
}

// formatKept returns what a file of records has.
func formatKept[T any](records []*T) ([]byte, error) {
	return json.Marshal(keptFile[T]{keptVersion, records})
}
