// Package selection has what is selected in a world while it is mounted: what a game's editor
// and the tools beside it show to one another. No pack has it, and it is gone with the mount.
package selection

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/worldfs/worldfs/entity"
)

// Selection is which entities are selected.
type Selection struct {
	Number uint64      // grows with each; 0: nothing was selected yet
	Time   time.Time   // since when
	By     string      // what selected them, in the caller's words
	IDs    []entity.ID // in the caller's order, each once
}

// Board has the selection of a world. Its zero value has none. It is safe for concurrent use.
type Board struct {
	mu      sync.Mutex    // guards what follows
	is      Selection     // the latest
	changed chan struct{} // closed by the next; nil: it is not waited for
}

// Set selects entities instead of those that were selected, and returns the selection.
func (b *Board) Set(ids []entity.ID, by string, at time.Time) Selection {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.is = Selection{Number: b.is.Number + 1, Time: at, By: by, IDs: unique(ids)}
	if b.changed != nil {
		close(b.changed)
		b.changed = nil
	}
	return b.is
}

// Get returns the selection.
func (b *Board) Get() Selection {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.is
}

// Next waits for another selection than that of a number, and returns the latest. The error is
// the context's, when that ends first.
func (b *Board) Next(ctx context.Context, after uint64) (Selection, error) {
	for {
		is, changed := b.wait()
		if is.Number != after {
			return is, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return Selection{}, ctx.Err()
		}
	}
}

// wait returns the selection, and what the next closes.
func (b *Board) wait() (Selection, <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.changed == nil {
		b.changed = make(chan struct{})
	}
	return b.is, b.changed
}

// unique returns IDs without those that were there before.
func unique(ids []entity.ID) []entity.ID {
	seen := make(map[entity.ID]bool, len(ids))
	return slices.DeleteFunc(slices.Clone(ids), func(id entity.ID) bool {
		again := seen[id]
		seen[id] = true
		return again
	})
}
