package vcs

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// aheadOf is an update of a working copy at /top, with the world in /top/world, of which only
// the files are known that svn has.
func aheadOf(files []string) *SVNAhead {
	m := &SVNMerge{workingCopy: &workingCopy{dir: "/top/world"}, top: "/top", kept: &svnKept{}, query: Query{Names: []string{"entities"}}}
	m.query.Want = func(name string) bool { return filepath.Ext(name) == ".entity_text" }
	m.files = make(map[string]*svnFile)
	for _, name := range files {
		m.files[name] = &svnFile{base: "object of " + name}
	}
	return &SVNAhead{SVNMerge: m}
}

// statusOf is what svn says of a path: what is so here, and what comes in.
func statusOf(at, here, coming string) (e statusEntry) {
	e.Path, e.Status.Item, e.Coming.Item = at, here, coming
	return e
}

func TestWhatADeletedDirectoryHasGoes(t *testing.T) {
	a := aheadOf([]string{"entities/1/11.entity_text", "entities/1/21.entity_text", "entities/1.entity_text",
		"entities/10/1.entity_text", "entities/1-/1.entity_text", "entities/10.entity_text", "entities/2/12.entity_text"})
	a.files["entities/1/31.entity_text"] = &svnFile{} // new here
	for _, how := range []string{"deleted", "replaced"} {
		c, err := a.comingOf([]statusEntry{
			statusOf("/top/world/entities/1/21.entity_text", "normal", "added"),
			statusOf("/top/world/entities/1", "normal", how),
			statusOf("/top/textures/1", "normal", how),
			statusOf("/top/world/entities/2/12.entity_text", "normal", "deleted"),
		})
		require.NoError(t, err)
		require.Equal(t, []string{"entities/1/11.entity_text", "entities/1/21.entity_text", "entities/2/12.entity_text"}, c.files)
		require.Equal(t, map[string]bool{"entities/1/11.entity_text": true, "entities/1/21.entity_text": false, "entities/2/12.entity_text": true}, c.gone)
	}
}

// What is deleted beside a world costs no look at all of its files.
func TestWhatIsDeletedBesideAWorldCostsLittle(t *testing.T) {
	var files []string
	for i := range 2000 {
		files = append(files, fmt.Sprintf("entities/%d.entity_text", i))
	}
	a := aheadOf(files)
	var all []statusEntry
	for i := range 1000 {
		all = append(all, statusOf(fmt.Sprintf("/top/textures/%d.png", i), "normal", "deleted"))
	}
	allocations := testing.AllocsPerRun(1, func() {
		c, err := a.comingOf(all)
		require.NoError(t, err)
		require.Empty(t, c.files)
	})
	require.Less(t, allocations, 20*float64(len(all)))
}

func TestWhatIsChangedInADeletedDirectoryIsFound(t *testing.T) {
	a := aheadOf(nil)
	require.NoError(t, a.findOutside([]statusEntry{
		statusOf("/top/textures", "normal", "deleted"),
		statusOf("/top/textures/wall/brick.png", "modified", "none"),
		statusOf("/top/textures/new.png", "unversioned", ""),
		statusOf("/top/textures/same.png", "normal", "none"),
		statusOf("/top/textures-old/brick.png", "modified", "none"),
		statusOf("/top/sound.wav", "modified", "deleted"),
		statusOf("/top/sound.wav.txt", "modified", "none"),
	}))
	slices.Sort(a.Outside)
	require.Equal(t, []string{"sound.wav", "textures/wall/brick.png"}, a.Outside)
}
