package rangepublish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/worldfs/worldfs/internal/support/tool"
	"github.com/worldfs/worldfs/internal/worldtree/idalloc"
	"github.com/worldfs/worldfs/internal/worldtree/idrange"
	"github.com/worldfs/worldfs/internal/worldtree/rangefile"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// What svn says, in codes that do not depend on its version.
const (
	svnIsLocked  = "160035" // by somebody, perhaps by this user in another working copy
	svnOutOfDate = "160042" // the lock is wanted for a text that is not the newest
	svnNotInWC   = "155010"
	svnNoInfo    = "200009"
	svnBusy      = "155004" // another process has the working copy
)

// copy is an svn working copy.
type copy struct {
	ctx   context.Context
	world *idalloc.World
}

// svn calls svn, which is not to be killed: it would leave the working copy to be cleaned up.
func (c copy) svn(verb string, args ...string) ([]byte, error) {
	env := tool.Environment(nil, "LC_ALL=C.UTF-8", "LANGUAGE=",
		"SVN_I_LOVE_CORRUPTED_WORKING_COPIES_SO_DISABLE_SLEEP_FOR_TIMESTAMPS=yes")
	return tool.New(context.WithoutCancel(c.ctx), c.world.Dir.Root, env, "svn", append([]string{verb, "--non-interactive"}, args...)...).Text()
}

func inSVN(ctx context.Context, w *idalloc.World) (Result, error) {
	c := copy{ctx, w}
	if err := c.add(); err != nil {
		return Result{}, err
	}
	own, err := rangefile.Read(w.Dir)
	if err != nil {
		return Result{}, err
	}
	if own.Wrong != nil {
		return Result{}, fmt.Errorf("%w; mend it first", own.Wrong)
	}
	if err := c.checkEdits(own); err != nil {
		return Result{}, err
	}
	published, err := c.lock(own.Data)
	if err != nil {
		return Result{}, err
	}
	a, err := begin(ctx, w, published, own)
	if err == nil {
		err = c.commit(a)
	}
	if err != nil {
		_, unlocked := c.svn("unlock", worlddir.RangesName)
		return Result{}, errors.Join(err, c.restore(own), ignoreUnlocked(unlocked))
	}
	return a.Result, a.done(ctx)
}

// ignoreUnlocked drops the error of a lock that a commit has given back already.
func ignoreUnlocked(err error) error {
	if tool.Says(err, svnNoInfo, "195007", "not locked") {
		return nil
	}
	return err
}

// add has svn know the file.
func (c copy) add() error {
	_, err := c.svn("info", worlddir.RangesName)
	if !tool.Says(err, svnNotInWC, svnNoInfo) {
		return err
	}
	if _, err := c.svn("add", "-q", worlddir.RangesName); err != nil {
		return err
	}
	return nil
}

// base returns the file as the last update has left it, nil if it was added since.
func (c copy) base() []byte {
	data, err := c.svn("cat", "-r", "BASE", worlddir.RangesName)
	if err != nil {
		return nil
	}
	return data
}

// checkEdits refuses a file that a person has changed otherwise than by adding ranges of
// ours: that would be published with it.
func (c copy) checkEdits(own rangefile.File) error {
	rest := own.Data
	base, err := idrange.Parse(c.base(), "")
	if err != nil {
		return nil // whatever stands in the repository, ours is better
	}
	for _, r := range unpublished(own.Ranges, base, c.world.Keys()) {
		rest = bytes.ReplaceAll(rest, lineOf(own.Data, r.Line), nil)
	}
	if !bytes.Equal(bytes.TrimSpace(rest), bytes.TrimSpace(c.base())) && len(base) > 0 {
		return errors.New("id_ranges has other changes that are not committed: commit or revert it first")
	}
	return nil
}

func lineOf(data []byte, line int) []byte {
	lines := bytes.SplitAfter(data, []byte("\n"))
	return lines[line-1]
}

// lock brings the file up to date, with nothing of ours in it, and locks it. It waits while
// somebody else has the lock, as long as the context lets it.
func (c copy) lock(own []byte) (published []byte, err error) {
	for tries := 0; ; tries++ {
		if c.isNew() {
			return nil, nil // nobody else can lock what is not there yet; two of them clash when they commit
		}
		published, err = c.tryLock()
		if err == nil {
			return published, nil
		}
		if !tool.Says(err, svnIsLocked, svnOutOfDate, svnBusy) || tries >= maxTries {
			return nil, errors.Join(fmt.Errorf("lock id_ranges (svn info %s says who has it; svn unlock --force takes it away): %w",
				worlddir.RangesName, err), c.write(own))
		}
		if err := pause(c.ctx, tries); err != nil {
			return nil, errors.Join(fmt.Errorf("wait for svn's lock of id_ranges: %w", err), c.write(own))
		}
	}
}

// isNew reports whether the repository has no such file yet, as far as is known here.
func (c copy) isNew() bool {
	out, err := c.svn("info", "--show-item", "schedule", worlddir.RangesName)
	return err == nil && strings.TrimSpace(string(out)) == "add"
}

func (c copy) tryLock() (published []byte, err error) {
	for _, call := range [][]string{{"revert", "-q"}, {"update", "-q", "--accept", "theirs-full"}} {
		if _, err := c.svn(call[0], append(call[1:], worlddir.RangesName)...); err != nil {
			return nil, err
		}
	}
	if !c.hasLock() {
		if _, err := c.svn("lock", worlddir.RangesName); err != nil {
			return nil, err
		}
	}
	return c.svn("cat", "-r", "BASE", worlddir.RangesName)
}

// hasLock reports whether this working copy has the lock, as a call that was killed has left it.
func (c copy) hasLock() bool {
	out, err := c.svn("info", "--xml", worlddir.RangesName)
	return err == nil && bytes.Contains(out, []byte("<token>"))
}

// commit publishes the file, which gives the lock back.
func (c copy) commit(a *attempt) error {
	if err := c.write(a.data); err != nil {
		return err
	}
	if _, err := c.svn("commit", "-q", "-m", a.message(), worlddir.RangesName); err != nil {
		return errors.Join(fmt.Errorf("publish id_ranges: %w", err), a.giveUp(c.ctx))
	}
	out, err := c.svn("info", "--show-item", "last-changed-revision", worlddir.RangesName)
	if err == nil {
		a.Commit = "r" + strings.TrimSpace(string(out))
	}
	return nil
}

// restore has ranges that were in the file before, and were not published, be in it again.
func (c copy) restore(own rangefile.File) error {
	published := c.base()
	theirs, err := idrange.Parse(published, "")
	if err != nil {
		return nil
	}
	a := &attempt{}
	a.Ranges = unpublished(own.Ranges, theirs, c.world.Keys())
	return c.write(a.in(published))
}

// write has the file say something.
func (c copy) write(data []byte) error {
	now, err := rangefile.Read(c.world.Dir)
	if err != nil {
		return err
	}
	return rangefile.Change(c.world.Dir, now.Data, data)
}
