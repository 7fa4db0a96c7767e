package idalloc

import (
	"context"
	"fmt"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/idrange"
	"github.com/worldfs/worldfs/internal/worldtree/rangefile"
	"github.com/worldfs/worldfs/internal/worldtree/usedids"
)

// MaxNext is how many IDs can be had at once.
const MaxNext = 1_000_000

// Next hands out n IDs, 1 to MaxNext, in ascending order within each range. They come from the
// ranges of [World.Keys]: from disposable ones last, and from a further range where all are
// full, which Next takes and notes. The world is not written but for id_ranges.
func (w *World) Next(ctx context.Context, n int) ([]entity.ID, error) {
	if n < 1 || n > MaxNext {
		return nil, fmt.Errorf("%d IDs cannot be had at once; 1 to %d can", n, MaxNext)
	}
	a, err := w.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer a.close()
	ids := a.take(n)
	if len(ids) < n && a.adopt() {
		a.learn(ctx)
		ids = append(ids, a.take(n-len(ids))...)
	}
	for len(ids) < n { // more than once only where a new range has IDs that were once used
		if _, err := a.claim(uint64(n - len(ids))); err != nil {
			return nil, err
		}
		a.learn(ctx)
		ids = append(ids, a.take(n-len(ids))...)
	}
	return ids, a.finish()
}

// allocation is one call: the ledger and the ranges, and what is to be written of them.
type allocation struct {
	*ledger
	world   *World
	file    rangefile.File
	data    []byte // what id_ranges is to be; nil: it stays as it is
	claimed []idrange.Range
	known   []idrange.Range // of others, beside those that are known anyway
}

// begin locks the ledger, reads the ranges, and learns what was used in them since.
func (w *World) begin(ctx context.Context) (*allocation, error) {
	l, err := open(ctx, w.Dir.ID)
	if err != nil {
		return nil, err
	}
	a := &allocation{ledger: l, world: w}
	if a.file, err = w.ranges(); err != nil {
		l.close()
		return nil, err
	}
	a.learn(ctx)
	return a, nil
}

// learn adds to the ledger which IDs of the ranges were used since it was asked last. What
// was used in a range that is new to us is looked up from the beginning.
func (a *allocation) learn(ctx context.Context) {
	var mine []span
	for _, r := range a.own() {
		mine = append(mine, span{r.From, r.To})
	}
	here, root := a.Clones[a.world.Dir.Root], a.world.Dir.Root
	wanted := normal(mine)
	if slices.ContainsFunc(wanted, func(s span) bool { return !here.Ranges.has(s) }) {
		here = clone{}
	}
	here.Ranges = wanted
	var found []entity.ID
	seen, err := usedids.Since(ctx, a.world.Dir, here.Seen, func(id entity.ID) {
		if wanted.next(uint64(id)) != uint64(id) {
			found = append(found, id)
		}
	})
	if err != nil {
		a.world.note("%v; IDs that were used and deleted since are not all known", err)
	}
	here.Seen = seen
	if a.Clones == nil {
		a.Clones = make(map[string]clone)
	}
	a.Clones[root] = here
	a.Used = a.Used.with(found)
}

// own returns the ranges to take IDs from, in that order.
func (a *allocation) own() []idrange.Range {
	return idrange.ToTake(idrange.Settled(a.file.Ranges), a.world.Keys())
}

// take returns up to n free IDs of the own ranges, which are used from then on.
func (a *allocation) take(n int) (ids []entity.ID) {
	for _, r := range a.own() {
		var used []entity.ID
		for id := a.Used.next(r.From); id < r.To && len(ids) < n; id = a.Used.next(id + 1) {
			if !a.world.has(entity.ID(id)) {
				ids = append(ids, entity.ID(id))
			}
			used = append(used, entity.ID(id))
		}
		a.Used = a.Used.with(used)
	}
	return ids
}

// finish makes durable what was handed out, and then writes a range that was taken for it:
// where the process is killed in between, the next call finds that in the ledger.
func (a *allocation) finish() error {
	if err := a.save(); err != nil {
		return err
	}
	if a.data == nil {
		return nil
	}
	if err := rangefile.Write(a.world.Dir, a.data); err != nil {
		return err
	}
	for _, r := range a.claimed {
		a.world.note("took the range %s; commit id_ranges at once, so that nobody else takes it (worldfs ids claim --commit does both)", r)
	}
	return nil
}
