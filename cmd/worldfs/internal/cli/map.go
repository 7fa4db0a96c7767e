package cli

import (
	"bytes"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/changeset"
	"github.com/worldfs/worldfs/internal/storage/disk"
)

// DrawMap draws what of a world a change set changes, as SVG, into a file.
func DrawMap(path string, set entity.ChangeSet, world entity.Source) error {
	var svg bytes.Buffer
	if err := changeset.Map(&svg, set, world); err != nil {
		return err
	}
	return (&disk.Disk{}).WriteAtomicUmasked("map", path, 0o666, svg.Bytes())
}
