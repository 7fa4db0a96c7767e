// Package rangepublish takes a range of IDs and has everybody know of it at once: it commits
// id_ranges, and nothing else, to what git's branch follows or to svn's repository.
//
// Two who do so at the same moment never get the same range. In git the line is put on top of
// what others have published last, and pushed; a push that comes too late is refused, and
// another range is taken, above all that there are by then. In svn the file is locked
// meanwhile. Nothing else of the person's is published or changed: no other commit, no other
// file, and not what the index has.
//
// A process that is killed in between leaves a range that is recorded here (package idalloc)
// and is used by the next call; in svn perhaps the lock, which the next call goes on with.
package rangepublish

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/worldfs/worldfs/internal/worldtree/idalloc"
	"github.com/worldfs/worldfs/internal/worldtree/idrange"
	"github.com/worldfs/worldfs/internal/worldtree/rangefile"
)

// ErrNowhere says that the world lies in no working copy that ranges could be published from.
var ErrNowhere = errors.New("the world lies in no git or svn working copy: there is nobody to publish a range to")

// Result is what was published.
type Result struct {
	Ranges   []idrange.Range // the lines that others have now
	Replaced []idrange.Range // those in whose place some of them are, since somebody was faster
	Commit   string          // git's, or svn's revision
	Later    string          // why the line comes into this working copy with the next update; "": it is there
}

// Range publishes the ranges of ours that nobody else knows of yet or, where there are none,
// takes a further one and publishes that. What must not be used meanwhile is the world: version
// control's hooks may open it.
func Range(ctx context.Context, w *idalloc.World) (Result, error) {
	unlock, err := w.LockPublishing(ctx)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	switch {
	case w.Dir.WorkingCopy(".git") != "":
		return inGit(ctx, w)
	case w.Dir.WorkingCopy(".svn") != "":
		return inSVN(ctx, w)
	}
	return Result{}, ErrNowhere
}

// attempt is one try to publish: the file as others have it, and what comes to that.
type attempt struct {
	world  *idalloc.World
	theirs []idrange.Range
	data   []byte // of theirs, then with ours
	Result
	reserved []idrange.Range
}

// begin works out what is to come to the published file, given our own.
func begin(ctx context.Context, w *idalloc.World, published []byte, own rangefile.File) (*attempt, error) {
	theirs, err := idrange.Parse(published, "the id_ranges that others have")
	if err != nil {
		return nil, fmt.Errorf("%w; mend it first", err)
	}
	a := &attempt{world: w, theirs: theirs, data: published}
	for _, r := range unpublished(own.Ranges, theirs, w.Keys()) {
		if err := a.addOwn(ctx, r); err != nil {
			return a, errors.Join(err, a.giveUp(ctx))
		}
	}
	if len(a.Ranges) == 0 {
		r, err := a.reserve(ctx, own.Ranges)
		if err != nil {
			return a, errors.Join(err, a.giveUp(ctx))
		}
		a.add(r)
	}
	return a, nil
}

// unpublished returns our ranges that are in our file and not in the published one.
func unpublished(own, theirs []idrange.Range, keys []string) (ranges []idrange.Range) {
	for _, r := range own {
		known := slices.ContainsFunc(theirs, func(o idrange.Range) bool { return isSame(o, r) })
		if r.IsOf(keys) && !known {
			ranges = append(ranges, r)
		}
	}
	return ranges
}

// isSame reports whether two lines say the same, but for their comments.
func isSame(a, b idrange.Range) bool {
	return a.From == b.From && a.To == b.To && a.Disposable == b.Disposable && slices.Equal(a.Owners(), b.Owners())
}

// addOwn adds a range of ours, or another in its place where somebody was faster.
func (a *attempt) addOwn(ctx context.Context, r idrange.Range) error {
	taken := slices.ContainsFunc(a.theirs, func(o idrange.Range) bool { return o.From < r.To && r.From < o.To })
	if !taken {
		a.add(r)
		return nil
	}
	another, err := a.reserve(ctx, nil)
	if err != nil {
		return err
	}
	a.Replaced = append(a.Replaced, r)
	a.add(another)
	return nil
}

func (a *attempt) reserve(ctx context.Context, own []idrange.Range) (idrange.Range, error) {
	r, err := a.world.Reserve(ctx, slices.Concat(a.theirs, a.Ranges, own))
	if err == nil {
		a.reserved = append(a.reserved, r)
	}
	return r, err
}

func (a *attempt) add(r idrange.Range) {
	a.Ranges = append(a.Ranges, r)
	a.data = idrange.Append(a.data, r)
}

// giveUp has what was reserved for the attempt be free again.
func (a *attempt) giveUp(ctx context.Context) error {
	var errs []error
	for _, r := range a.reserved {
		errs = append(errs, a.world.Forget(ctx, r))
	}
	return errors.Join(errs...)
}

// done has what others have taken first be no claim of ours any more.
func (a *attempt) done(ctx context.Context) error {
	var errs []error
	for _, r := range a.Replaced {
		errs = append(errs, a.world.Forget(ctx, r))
	}
	return errors.Join(errs...)
}

// in returns a file with the ranges that were published, and without those that were
// replaced. Lines that are there already stay as they are.
func (a *attempt) in(data []byte) []byte {
	ranges, err := idrange.Parse(data, "")
	if err != nil {
		return data // the person's to mend
	}
	for _, old := range a.Replaced {
		if i := slices.IndexFunc(ranges, func(r idrange.Range) bool { return isSame(r, old) }); i >= 0 {
			data = idrange.Remove(data, ranges[i].Line)
			ranges, _ = idrange.Parse(data, "") // it could be read before
		}
	}
	for _, r := range a.Ranges {
		if !slices.ContainsFunc(ranges, func(o idrange.Range) bool { return isSame(o, r) }) {
			data = idrange.Append(data, r)
		}
	}
	return data
}

// message is that of the commit.
func (a *attempt) message() string {
	text := "id_ranges:"
	for i, r := range a.Ranges {
		if i > 0 {
			text += ","
		}
		text += " " + r.String()
	}
	return text
}

// pause waits a while before another try, longer after each.
func pause(ctx context.Context, tries int) error {
	longest := min(20*time.Millisecond<<min(tries, 6), time.Second)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(longest/4 + rand.N(longest)):
		return nil
	}
}

// maxTries is how often somebody else can be faster: each time, somebody has got a range.
const maxTries = 200
