package main

import (
	"bytes"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/compare/changeset"
	"github.com/worldfs/worldfs/internal/storage/disk"
)

func drawMap(path string, set entity.ChangeSet, world entity.Source) error {
	var svg bytes.Buffer
	if err := changeset.Map(&svg, set, world); err != nil {
		return err
	}
	return (&disk.Disk{}).WriteAtomic("map", path, svg.Bytes(), 0o644)
}
