package daemon

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// Command and daemon may be of different builds: a name that is gone breaks both.
func TestTheCallsOfTheCommandsKeepTheirNames(t *testing.T) {
	var names []string
	for _, r := range commandRoutes {
		names = append(names, r.name)
	}
	slices.Sort(names)
	require.Equal(t, []string{
		"apply", "changes", "check", "format", "history", "import", "keep", "kept", "read", "replace", "restore", "ship", "status", "sync", "takeback", "text", "undo", "unpack", "vcs",
	}, names)
}

func TestWhatResolveIsToldBecomesNoOption(t *testing.T) {
	c := resolveCall{Take: "mine --json", Names: []string{"-C", "/"}, Fields: []string{`a,"b"`, "--where"}, Set: 7, Values: []string{"--help"}}
	require.Equal(t, []string{
		"resolve", "--json", "--take=mine --json", `--field="a,""b"""`, `--field="--where"`, "--set=7", "--", "-C", "/", "--help",
	}, c.arguments())
	require.Equal(t, []string{"resolve", "--json", "--"}, (&resolveCall{}).arguments())
}

func TestTheOptionsOfAnIntakeComeThroughTheAddress(t *testing.T) {
	for _, o := range []ImportOptions{{}, {Whole: true}, {UnknownTypes: true}} {
		require.Equal(t, o, importCommand.options(o.query()))
	}
	for _, o := range []ApplyOptions{{}, {Reverse: true}, {Policy: "mine"}, {UnknownTypes: true}} {
		require.Equal(t, o, applyCommand.options(o.query()))
	}
	loss := url.Values{optionAllowLoss: {"true"}}
	require.True(t, importCommand.options(loss).AllowLoss)
	require.True(t, applyCommand.options(loss).AllowLoss)
}

func TestAWorldThatNeedsANewerBuildIsReadOnly(t *testing.T) {
	newer := &worlddir.NewerError{}
	w := &World{&readOnly{dir: plainWorld(t), newer: newer}}
	requireRefuses(t, w, newer)
	for name, err := range map[string]error{
		"kept":    second(w.Kept()),
		"history": second(w.History(1)),
		"text":    second(w.Text(1)), // it has no pack
		"unpack":  second(w.Unpack(t.TempDir())),
	} {
		require.ErrorIs(t, err, newer, name)
	}
	found, err := w.Check()
	require.NoError(t, err)
	require.Equal(t, entity.CodeFormatNewer, found[0].Code)
	_, found, err = w.Ship(ShipOptions{})
	require.ErrorIs(t, err, cache.ErrShip)
	require.Len(t, found, 1)
}

func TestAWorldInMemoryIsReadAndNotChanged(t *testing.T) {
	w, err := Open(plainWorld(t), nil)
	require.NoError(t, err)
	l := w.open.(*local)
	l.full = errors.New("the disk is full")
	requireRefuses(t, w, l.full)
	_, err = w.Unpack("")
	require.ErrorIs(t, err, l.full)
	_, err = w.Unpack(t.TempDir())
	require.NoError(t, err)
	_, err = w.Text(1)
	require.NoError(t, err)
	st, err := w.Status()
	require.NoError(t, err)
	require.Equal(t, l.full.Error(), st.Failure)
	l.full = nil
	require.NoError(t, w.Close())
}

// requireRefuses has a world refuse what changes it, because of want.
func requireRefuses(t *testing.T, w *World, want error) {
	for name, err := range map[string]error{
		"sync":    w.Sync(),
		"import":  second(w.Import(strings.NewReader(""), "x", ImportOptions{})),
		"apply":   second(w.Apply(strings.NewReader(""), "x", ApplyOptions{})),
		"format":  second(w.Format(nil, false)),
		"restore": second(w.Restore(cache.Target{})),
		"undo":    second(w.Undo(1, time.Time{})),
		"replace": w.Replace(nil, ""),
	} {
		require.ErrorIs(t, err, want, name)
	}
}

func second[A any](_ A, err error) error { return err }
