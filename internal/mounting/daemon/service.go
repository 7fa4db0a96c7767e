package daemon

import (
	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// service is a world that this process has open, be it the daemon or a command
// alone, with what both do with it in the same way.
type service struct {
	dir   *worlddir.Dir
	world *cache.World
}
