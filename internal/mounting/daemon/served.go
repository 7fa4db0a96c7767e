package daemon

import (
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// served is the files of a world as the daemon serves them: a mount. What a method does
// is said at those of fsnode.Mounted.
type served interface {
	Opened() <-chan struct{}
	Wait()
	WaitNotified()

	Unmount() error
	Detach() error
	Seal() error
	SealAnyway()
	Unseal()
	ShowPlain(dir string) error
	EntitiesRemoved() bool

	Scratch() (string, error)
	Misplaced() (map[string]entity.ID, error)
	AwaitMerges(done <-chan struct{})
	Relayout(l layout.Layout) error
	InvalidateBeneath(path string, depth int) error

	Requests() map[string]uint64
	Held() (nodes, notices int)
	Warmed() (files int, done bool)
}
