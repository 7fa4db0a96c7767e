package mount

import (
	"context"
	"errors"
	"time"

	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/support/dirwatch"
)

// watch has pack and plain files of a world that is not mounted in step while the game runs:
// after every change it opens the world for a moment, which takes in what was saved and what
// was edited, and publishes it. What goes wrong is tried again, and said when the game has
// ended. The caller calls stop, which returns when the world is not used any more.
func (s *session) watch() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	files, _ := dirwatch.New() // where the kernel does not tell, the world is looked at now and then
	_ = files.Follow(watchedDirs(s.dir)...)
	w := &worldWatcher{app: s.app, cmd: s.cmd, root: s.dir.Root, files: files, happened: make(chan struct{}, 1)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer files.Close()
		for idle := lookIdle; w.wait(ctx, nil, idle, nil); {
			took := time.Now()
			_ = w.keepInStep(ctx)
			idle = max(lookIdle, lookShare*time.Since(took))
		}
	}()
	return func() { cancel(); <-ended }
}

// keepInStep publishes what has changed in a world. While it is mounted, which it may have been
// meanwhile, there is nothing to do.
func (w *worldWatcher) keepInStep(ctx context.Context) error {
	dir, mounted, err := w.open(ctx)
	if err != nil || mounted || ctx.Err() != nil {
		return err
	}
	world, err := daemon.Open(dir, nil)
	if err != nil {
		return err
	}
	return errors.Join(world.Sync(), world.Close())
}
