package daemon

import (
	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/internal/storage/packstore"
)

var keptCommand = define(command[nothing, []packstore.Kept]{
	name: "kept", do: func(s service, _ nothing) ([]packstore.Kept, error) { return s.world.Kept() },
})

// Kept returns the packs that are kept, the newest first.
func (w *World) Kept() ([]packstore.Kept, error) { return keptCommand.on(w, nothing{}) }

var restoreCommand = define(command[cache.Target, cache.Restored]{
	name: "restore", changes: true,
	do: func(s service, t cache.Target) (cache.Restored, error) { return s.world.Restore(t) },
	ask: func(c *Client, t cache.Target) (cache.Restored, error) {
		t.AllowLoss = t.AllowLoss || c.allowLoss
		return ask[cache.Restored](c, "restore", t)
	},
	alone: (*local).restore,
})

// Restore makes the world what it is in a kept pack.
func (w *World) Restore(t cache.Target) (cache.Restored, error) { return restoreCommand.on(w, t) }

// restore is Restore of a world that this process has open: plain files that are
// missing come back.
func (l *local) restore(t cache.Target) (cache.Restored, error) {
	l.world.KeepPlain()
	r, err := l.world.Restore(t)
	if err == nil {
		err = l.bringBack()
	}
	return r, err
}
