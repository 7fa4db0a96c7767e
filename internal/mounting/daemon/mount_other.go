//go:build !linux

package daemon

import (
	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/mounting/mounts"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// warmth makes a mount warm, of which there is none here.
type warmth struct{}

func (warmth) Close()              {}
func (warmth) Render(*cache.World) {}

func (d *daemon) warm(worlddir.Settings, []string) {}

// covering says what a mount covers, of which there is none here.
type covering struct{}

func (d *daemon) coverOf(worlddir.Mounting) covering { return covering{} }

// serve returns why there is no mount.
func (d *daemon) serve(RunOptions, covering) (served, error) { return nil, mounts.CheckFUSE() }

func (g *coveredDirs) open(*worlddir.Dir, string) (*worlddir.Dir, error) {
	return nil, mounts.CheckFUSE()
}
