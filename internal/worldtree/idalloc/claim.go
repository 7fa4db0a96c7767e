package idalloc

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/google/uuid"

	"github.com/worldfs/worldfs/internal/worldtree/idrange"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// ClaimSize is how many IDs are in a range that is taken, unless more are needed.
const ClaimSize = 3000

// Claim takes a further range and adds its line to id_ranges.
func (w *World) Claim(ctx context.Context) (idrange.Range, error) {
	a, err := w.begin(ctx)
	if err != nil {
		return idrange.Range{}, err
	}
	defer a.close()
	r, err := a.claim(ClaimSize)
	if err != nil {
		return r, err
	}
	return r, a.finish()
}

// claim takes a range for the IDs needed.
func (a *allocation) claim(needed uint64) (r idrange.Range, err error) {
	if a.file.Wrong != nil {
		return r, fmt.Errorf("no range can be taken: %w; mend that first", a.file.Wrong)
	}
	r.Keys, err = a.world.newKeys()
	if err != nil {
		return r, err
	}
	r.Comment = a.world.comment()
	size := (max(needed, ClaimSize) + 999) / 1000 * 1000
	known := slices.Concat(a.file.Ranges, a.claims(), a.world.upstream(), a.known)
	r.From, err = idrange.Free(known, a.world.highest(), size, a.world.uses)
	if err != nil {
		return r, fmt.Errorf("no range can be taken: %w", err)
	}
	r.To = r.From + size
	a.add(r)
	a.Claims = append(a.Claims, claim{span{r.From, r.To}, r.Keys, r.Comment})
	return r, nil
}

// add adds a range to the file, and has it in force.
func (a *allocation) add(r idrange.Range) {
	if a.data == nil {
		a.data = a.file.Data
	}
	a.data = idrange.Append(a.data, r)
	a.file.Ranges = append(slices.Clone(a.file.Ranges), r)
	a.claimed = append(a.claimed, r)
}

// adopt adds ranges to the file that this machine has taken in another clone, or in a call
// that was killed, and reports whether there are any. One that somebody else has by now, or
// that is there in other words, is let be.
func (a *allocation) adopt() (adopted bool) {
	if a.file.Wrong != nil {
		return false
	}
	keys := a.world.Keys()
	upstream := a.world.upstream()
	for _, r := range a.claims() {
		others := slices.DeleteFunc(slices.Clone(upstream), func(o idrange.Range) bool { return o.IsOf(keys) })
		taken := slices.ContainsFunc(slices.Concat(a.file.Ranges, others), func(o idrange.Range) bool { return o.From < r.To && r.From < o.To })
		if !taken && r.IsOf(keys) {
			a.add(r)
			adopted = true
		}
	}
	return adopted
}

// claims returns the ranges that this machine has ever taken in the world.
func (a *allocation) claims() (ranges []idrange.Range) {
	for _, c := range a.Claims {
		ranges = append(ranges, idrange.Range{From: c.From, To: c.To, Keys: c.Keys, Comment: c.Comment})
	}
	return ranges
}

// upstream returns the ranges that git's last fetch has brought, and no merge yet.
func (w *World) upstream() []idrange.Range {
	if w.Dir.WorkingCopy(".git") == "" {
		return nil
	}
	git, err := vcs.Git{Dir: w.Dir.Root}.Caller()
	if err != nil {
		return nil
	}
	data, err := git.Call(nil, "cat-file", "blob", "@{upstream}:"+git.Prefix()+worlddir.RangesName)
	if err != nil {
		return nil // a branch that follows none, or one without the file
	}
	ranges, err := idrange.Parse(data, "")
	if err != nil {
		return nil
	}
	return ranges
}

// highest returns the highest ID in use, 0 where there is none.
func (w *World) highest() (id uint64) {
	for of := range idsOf(w.Entities) {
		id = max(id, uint64(of))
	}
	return id
}

// uses reports whether an entity has an ID from one up to but not another.
func (w *World) uses(from, to uint64) bool {
	for id := range idsOf(w.Entities) {
		if from <= uint64(id) && uint64(id) < to {
			return true
		}
	}
	return false
}

// Reserve takes a further range, above the known ones besides, and records it; whoever calls
// it sees to its line. Where that does not come about, Forget has it free again.
func (w *World) Reserve(ctx context.Context, known []idrange.Range) (r idrange.Range, err error) {
	a, err := w.begin(ctx)
	if err != nil {
		return r, err
	}
	defer a.close()
	a.known = known
	if r, err = a.claim(ClaimSize); err != nil {
		return r, err
	}
	return r, a.save()
}

// Forget has a range that was reserved be nobody's.
func (w *World) Forget(ctx context.Context, r idrange.Range) error {
	l, err := open(ctx, w.Dir.ID)
	if err != nil {
		return err
	}
	defer l.close()
	l.Claims = slices.DeleteFunc(l.Claims, func(c claim) bool { return c.From == r.From && c.To == r.To })
	return l.save()
}

// LockPublishing has one process of the machine at a time publish ranges of the world.
func (w *World) LockPublishing(ctx context.Context) (unlock func(), err error) {
	dir, err := stateDir()
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return nil, err
	}
	return lock(ctx, filepath.Join(dir, uuid.UUID(w.Dir.ID).String()+".publish.lock"))
}
