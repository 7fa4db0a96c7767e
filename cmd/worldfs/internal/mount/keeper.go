package mount

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/storage/mend"
	"github.com/worldfs/worldfs/internal/support/dirwatch"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/packfile"
)

// keeper has pack and plain files of a world that is not mounted in step: after every change it
// opens the world for a moment, which takes in what was saved and what was edited, and
// publishes it. What goes wrong is tried again with the next change, and now and then.
type keeper struct {
	worldWatcher
	kept   *daemon.Kept
	onStep func(kept) // called after each step; nil: none is
	ending bool       // the next step is the last: a save that is not whole is not waited for

	last *packfile.Pack // the pack as it was after the last step, nil if it could not be read
	file fs.FileInfo    // its file
	torn tornSave
}

// tornSave is a save of the game's that is not whole: under way, or cut off.
type tornSave struct {
	since    time.Time // when it was first seen so; zero: there is none
	modified time.Time // when it was written to last
}

// kept is what a step has come to.
type kept struct {
	dir      *worlddir.Dir // nil if the world could not be found
	mounted  bool          // its daemon has it in step
	waits    bool          // most files are missing, and are given time to come back
	looked   bool          // the findings are those of the world
	changed  entity.ChangeSet
	findings []entity.Finding
	mended   bool // the game was cut off amid a save, and the good pack is back in its place
	err      error
}

// newKeeper returns a keeper of a world directory. The caller closes it.
func newKeeper(a *cli.App, cmd *cobra.Command, dir *worlddir.Dir) *keeper {
	files, _ := dirwatch.New() // where the kernel does not tell, the world is looked at now and then
	_ = files.Follow(watchedDirs(dir)...)
	k := &keeper{worldWatcher: worldWatcher{app: a, cmd: cmd, root: dir.Root, files: files, happened: make(chan struct{}, 1)}}
	k.kept = daemon.NewKept(dir, k.current)
	k.read(dir) // a fresh clone has none
	return k
}

func (k *keeper) close() {
	k.kept.Close()
	k.files.Close()
}

// current returns the world directory as a call finds it, once a checkout that is under way has
// ended.
func (k *keeper) current() (*worlddir.Dir, error) {
	dir, err := worlddir.Open(k.root)
	if err != nil {
		return nil, err
	}
	cli.AwaitCheckout(k.cmd.Context(), dir)
	return k.find()
}

// keep does a step after every change, until the context is done.
func (k *keeper) keep(ctx context.Context) {
	for idle := lookIdle; k.wait(ctx, nil, idle, nil); {
		took := time.Now()
		if failed := k.step(ctx); failed {
			k.forget()
		}
		idle = max(lookIdle, lookShare*time.Since(took))
	}
}

// step publishes what has changed in the world. While it is mounted there is nothing to do.
func (k *keeper) step(ctx context.Context) (failed bool) {
	var did kept
	did.dir, did.mounted, did.err = k.open(ctx)
	if ctx.Err() != nil {
		return false
	}
	if did.mounted {
		k.kept.EndStreams()
	} else if did.err == nil {
		k.publish(&did)
		did.err = errors.Join(did.err, k.kept.Restate())
	}
	if did.mended && k.ending { // what was edited meanwhile
		k.publish(&did)
		did.mended = true
	}
	if k.onStep != nil {
		k.onStep(did)
	}
	return did.err != nil
}

func (k *keeper) publish(did *kept) {
	err := k.kept.Use(did.dir, false, func(world *daemon.World) error {
		if world.IsAwaiting() && !k.ending { // for others, the world is free meanwhile
			did.waits = true
			return nil
		}
		syncErr := world.Sync()
		st, statusErr := world.Status()
		did.looked, did.findings = statusErr == nil, st.Findings
		return errors.Join(syncErr, statusErr)
	})
	if errors.Is(err, cache.ErrShardChanged) && !k.ending { // the next step goes by the new one
		did.waits, err = true, nil
		k.poke()
	}
	if did.waits {
		did.err = err
		return
	}
	damaged := (*mend.Damaged)(nil)
	if errors.As(err, &damaged) || slices.ContainsFunc(did.findings, isUnderWay) {
		err = k.awaitSave(did, err)
	} else {
		k.torn = tornSave{}
	}
	did.err = err
	if damaged != nil && !did.mended {
		return // what lies there was never published
	}
	was := k.last
	if k.read(did.dir) && was != nil {
		did.changed = entity.Diff(was, k.last)
	}
}

// read reads the pack, and reports whether it is another than before. A save that is under way
// is none yet, nor is one of another world.
func (k *keeper) read(dir *worlddir.Dir) (changed bool) {
	info, err := os.Stat(dir.PackPath())
	if err != nil || k.file != nil && os.SameFile(info, k.file) && info.Size() == k.file.Size() && info.ModTime().Equal(k.file.ModTime()) {
		return false
	}
	is, err := mend.ReadPublished(dir)
	if err != nil || is.World() != dir.ID {
		return false
	}
	k.last, k.file = is, info
	return true
}

// awaitSave gives a save that is not whole time to become so: that is no error. Once no program
// has it open, and nothing has come for long, it was cut off, and the good pack takes its place.
func (k *keeper) awaitSave(did *kept, problem error) error {
	info, err := os.Stat(did.dir.PackPath())
	if err != nil {
		return problem
	}
	if k.torn.since.IsZero() || !k.torn.modified.Equal(info.ModTime()) {
		k.torn = tornSave{since: time.Now(), modified: info.ModTime()}
	}
	if isWritten(did.dir) || !k.ending && time.Since(k.torn.since) < judgeTimeout {
		return nil
	}
	mended, err := daemon.Mend(did.dir, nil)
	if err != nil {
		return errors.Join(problem, err)
	}
	k.torn = tornSave{}
	did.mended = mended.Damage != ""
	k.poke() // for what was edited meanwhile
	return nil
}

// isWritten reports whether a program has the pack open for writing.
func isWritten(dir *worlddir.Dir) bool {
	f, err := packfile.OpenQuietly(dir.PackPath())
	if err != nil {
		return false
	}
	defer f.Close()
	return packfile.HasWriter(f)
}
