package mount

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/mergecost"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/support/dirwatch"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/resolve"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// How often the world is looked at.
const (
	lookQuiet = 150 * time.Millisecond // after a change, until nothing more comes
	lookAtIt  = time.Second            // after a change, whatever comes
	lookIdle  = 2 * time.Second        // where nothing is told, for what nothing tells of
	lookShare = 20                     // looking takes no more than this part of the time
)

// watchStatus prints the state of the world whenever it changes, until it is interrupted.
func watchStatus(a *cli.App, cmd *cobra.Command, asJSON bool) error {
	dir, err := a.Find(cmd)
	if err != nil {
		return err
	}
	if err := os.Chdir("/"); err != nil { // a working directory in a mount keeps it busy
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	files, err := dirwatch.New()
	if err != nil {
		a.Noter(cmd)(fmt.Sprintf("the kernel does not tell of changes (%v); the world is looked at every %v instead", err, lookIdle))
	}
	defer files.Close()
	resized := make(chan os.Signal, 1)
	notifyResized(resized)
	defer signal.Stop(resized)
	w := &worldWatcher{app: a, cmd: cmd, root: dir.Root, files: files, happened: make(chan struct{}, 1)}
	screen := statusScreen{out: cmd.OutOrStdout(), json: asJSON}
	for {
		took := time.Now()
		shown, err := w.look(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err := screen.show(shown, err); err != nil {
			return err
		}
		if err != nil || shown.Failure != "" {
			w.forget()
		}
		idle := max(lookIdle, lookShare*time.Since(took))
		if !w.wait(ctx, resized, idle, screen.redraw) {
			return nil
		}
	}
}

// shownStatus is what a look at a world has found.
type shownStatus struct {
	status
	in   layout.Layout
	lost []*resolve.Lost
}

// worldWatcher looks at a world, and waits until something has changed in it.
type worldWatcher struct {
	app      *cli.App
	cmd      *cobra.Command
	root     string
	files    *dirwatch.Watch
	happened chan struct{} // has an element after the daemon told of something, or ended
	follows  int           // the process of the daemon that tells; 0: none does
	ended    func() bool   // reports whether that has ended
	noted    string        // what was noted last
}

// look reads the state of the world, and has what can change in it watched.
func (w *worldWatcher) look(ctx context.Context) (s shownStatus, err error) {
	dir, _, err := w.open(ctx)
	if err != nil {
		return s, err
	}
	s.in = dir.Settings.Shard
	killed := crashed(dir)
	world, err := daemon.OpenAllowing(dir, w.note, false)
	if err != nil {
		return s, err
	}
	if s.status, err = readStatus(ctx, dir, world, killed); err == nil {
		s.lost, err = s.addLost(world, mergecost.Before(w.app, w.cmd, dir, 0))
	}
	return s, errors.Join(err, world.Close())
}

// note says what opening the world has met with, not in each look again.
func (w *worldWatcher) note(text string) {
	if text != w.noted {
		w.noted = text
		w.app.Noter(w.cmd)(text)
	}
}

// open finds the world anew, for its settings may have changed, and has what can change in it
// watched. It reports whether it is mounted.
func (w *worldWatcher) open(ctx context.Context) (dir *worlddir.Dir, mounted bool, err error) {
	if dir, err = w.find(); err != nil {
		return nil, false, err
	}
	if mounted = w.follow(ctx, dir); mounted {
		return dir, true, nil
	}
	cli.AwaitCheckout(ctx, dir)
	dir, err = w.find() // as it was checked out
	return dir, false, err
}

// find returns the world directory as it is now.
func (w *worldWatcher) find() (*worlddir.Dir, error) {
	dir, err := worlddir.Open(w.root)
	if err == nil {
		err = dir.Configure(w.cmd.Flags())
	}
	return dir, err
}

// follow has the world's daemon tell what happens, or where there is none, the kernel tell
// what changes in the world directory. It reports whether there is one.
func (w *worldWatcher) follow(ctx context.Context, dir *worlddir.Dir) (mounted bool) {
	client, err := daemon.Mounted(dir)
	if err != nil || client == nil {
		_ = w.files.Follow(watchedDirs(dir)...) // what is not told of is looked for
		return false
	}
	_ = w.files.Follow(dir.Root, filepath.Join(dir.Root, "types"))
	if w.follows == client.Pid && !w.ended() {
		return true
	}
	ended := make(chan struct{})
	w.follows, w.ended = client.Pid, func() bool {
		select {
		case <-ended:
			return true
		default:
			return false
		}
	}
	go func() {
		_ = client.Watch(ctx, "", func([]byte) error { w.poke(); return nil }) // that it has ended is looked at
		close(ended)
		w.poke()
	}()
	return true
}

func (w *worldWatcher) poke() {
	select {
	case w.happened <- struct{}{}:
	default:
	}
}

// forget drops what was told of just now. A look that could not write something has made files
// and removed them again: that is no reason to look again at once.
func (w *worldWatcher) forget() {
	time.Sleep(lookQuiet)
	select {
	case <-w.files.C:
	default:
	}
}

// watchedDirs are the directories of a world that is not mounted in which files change.
func watchedDirs(dir *worlddir.Dir) []string {
	dirs := []string{dir.Root, filepath.Join(dir.Root, "types"), dir.EntitiesPath()}
	if !dir.Settings.Shard.Sharded() {
		return dirs
	}
	entries, err := os.ReadDir(dir.EntitiesPath())
	if err != nil {
		return dirs
	}
	for _, e := range entries {
		if _, ok := dir.Settings.Shard.ParseShard(e.Name()); ok && e.IsDir() {
			dirs = append(dirs, filepath.Join(dir.EntitiesPath(), e.Name()))
		}
	}
	return dirs
}

// wait returns true once the world may have changed and is quiet, and false when it is not
// to be looked at any more.
func (w *worldWatcher) wait(ctx context.Context, resized <-chan os.Signal, idle time.Duration, redraw func()) bool {
	until := time.After(idle)
	for {
		select {
		case <-ctx.Done():
			return false
		case <-resized:
			redraw()
		case <-until:
			return true
		case <-w.files.C:
			return w.settle(ctx)
		case <-w.happened:
			return w.settle(ctx)
		}
	}
}

// settle waits until what has begun to change changes no more, not longer than lookAtIt.
func (w *worldWatcher) settle(ctx context.Context) bool {
	latest := time.After(lookAtIt)
	for {
		select {
		case <-ctx.Done():
			return false
		case <-latest:
			return true
		case <-time.After(lookQuiet):
			return true
		case <-w.files.C:
		case <-w.happened:
		}
	}
}

// statusScreen shows the state of a world where it is another than was shown.
type statusScreen struct {
	out   io.Writer
	json  bool
	shown []byte // what was compared last
	last  func() error
}

// show shows what was read, or why it could not be.
func (s *statusScreen) show(st shownStatus, problem error) error {
	compared := st.status
	compared.Counters = nil // which grow by being asked
	doc, err := json.Marshal(compared)
	if problem != nil {
		doc, err = json.Marshal(daemon.Failure{Message: problem.Error(), Exit: daemon.Exit(problem)})
	}
	if err != nil || bytes.Equal(doc, s.shown) {
		return err
	}
	s.shown = doc
	s.last = func() error { return s.draw(st, problem, time.Now()) }
	return s.last()
}

// redraw draws again what is shown, for a terminal of another size.
func (s *statusScreen) redraw() {
	if s.last != nil && !s.json {
		_ = s.last() // the next change says it again
	}
}

func (s *statusScreen) draw(st shownStatus, problem error, at time.Time) error {
	switch {
	case s.json && problem != nil:
		return cli.PrintJSON(s.out, daemon.Failure{Message: problem.Error(), Exit: daemon.Exit(problem)})
	case s.json:
		return cli.PrintJSON(s.out, st.status)
	}
	color, width := cli.Terminal(s.out)
	var text bytes.Buffer
	fmt.Fprintf(&text, "as of     %s\n", at.Format(time.DateTime))
	if problem != nil {
		fmt.Fprintf(&text, "cannot be read: %v\n", problem)
	} else {
		err := printStatus(&text, st.status, st.in, cli.FindingsStyle{Color: color, Width: width})
		if err = errors.Join(err, mergecost.Print(&text, st.lost)); err != nil {
			return err
		}
	}
	if width == 0 {
		text.WriteByte('\n')
		_, err := s.out.Write(text.Bytes())
		return err
	}
	_, err := io.WriteString(s.out, "\x1b[H\x1b[2J"+cutToScreen(text.String(), height(s.out)))
	return err
}

// height returns how many lines the terminal has; 0 for any number.
func height(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	_, lines, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return lines
}

// cutToScreen cuts a text to so many lines, the last of which says how many are left out.
func cutToScreen(text string, lines int) string {
	all := strings.SplitAfter(text, "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	if lines < 3 || len(all) < lines {
		return text
	}
	fit := lines - 2
	return strings.Join(all[:fit], "") + fmt.Sprintf("… and %s more (worldfs status has them)\n", cli.Counted(len(all)-fit, "line", "lines"))
}
