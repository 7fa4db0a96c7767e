package fsnode

import (
	"fmt"
	"sync"
	"testing"

	"github.com/hanwen/go-fuse/v2/fuse"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/layout"
)

// counting is a directory in which names are numbers, two an answer. It counts what
// it was asked for, and the nodes that the kernel is to know.
type counting struct {
	fuse.RawFileSystem
	last   uint64
	suffix string   // of each name
	asked  []uint64 // at which offsets
	known  map[uint64]int
	broken bool // nothing can be asked
}

func (c *counting) ReadDirPlus(_ <-chan struct{}, in *fuse.ReadIn, out *fuse.DirEntryList) fuse.Status {
	c.asked = append(c.asked, in.Offset)
	if c.broken {
		panic("broken")
	}
	for i := in.Offset + 1; i <= min(in.Offset+2, c.last); i++ {
		e := out.AddDirLookupEntry(fuse.DirEntry{Name: fmt.Sprint(i) + c.suffix, Mode: unix.S_IFREG, Ino: 100 + i, Off: i})
		e.NodeId, e.Attr.Ino, e.Attr.Size = i, 100+i, 7*i
		c.known[i]++
	}
	return fuse.OK
}

func (c *counting) Forget(node, lookups uint64) { c.known[node] -= int(lookups) }

// listingRig is a listAhead before a directory of names.
func listingRig(names uint64) (*listAhead, *counting) {
	c := &counting{RawFileSystem: fuse.NewDefaultRawFileSystem(), last: names, known: make(map[uint64]int)}
	n := &notices{}
	n.more = sync.NewCond(&n.mu)
	return &listAhead{RawFileSystem: c, fsys: &fsys{opening: beginOpening(0), notices: n}}, c
}

func askList(offset uint64) *fuse.ReadIn {
	return &fuse.ReadIn{InHeader: fuse.InHeader{NodeId: 1, Caller: fuse.Caller{Pid: 9}}, Fh: 3, Offset: offset, Size: 4096}
}

// lists asks for a part and returns the names in it, which have the right nodes.
func lists(t *testing.T, a *listAhead, in *fuse.ReadIn) (names []string) {
	list := fuse.NewDirEntryList(make([]byte, in.Size), in.Offset)
	require.True(t, a.ReadDirPlus(nil, in, list).Ok())
	entries, nodes, err := fuse.ParseDirLookupEntries(list.Bytes())
	require.NoError(t, err)
	for i, e := range entries {
		n := in.Offset + uint64(i) + 1
		require.Equal(t, fuse.DirEntry{Name: fmt.Sprint(n), Mode: unix.S_IFREG, Ino: 100 + n, Off: n}, e)
		require.Equal(t, n, nodes[i].NodeId)
		require.Equal(t, 7*n, nodes[i].Attr.Size)
		names = append(names, e.Name)
	}
	return names
}

// settled returns where the directory was asked once nothing is being made up.
func (c *counting) settled(a *listAhead) []uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.next != nil {
		<-a.next.made
	}
	return c.asked
}

func TestTheNextPartOfAListingIsMadeUpAhead(t *testing.T) {
	a, c := listingRig(5)
	require.Equal(t, []string{"1", "2"}, lists(t, a, askList(0)))
	require.Equal(t, []uint64{0, 2}, c.settled(a))
	require.Equal(t, []string{"3", "4"}, lists(t, a, askList(2)))
	require.Equal(t, []string{"5"}, lists(t, a, askList(4)))
	require.Empty(t, lists(t, a, askList(5)))
	require.Equal(t, []uint64{0, 2, 4, 5}, c.settled(a), "each part once")
	a.ReleaseDir(&fuse.ReleaseIn{})
	require.Equal(t, map[uint64]int{1: 1, 2: 1, 3: 1, 4: 1, 5: 1}, c.known)
	require.Nil(t, a.room)
}

// TestWhatWasMadeUpAheadIsNotBelievedForGood has something happen after a part was
// made up, and the kernel ask: it is made up anew, and the kernel counted on to know
// what it was told and no more.
func TestWhatWasMadeUpAheadIsNotBelievedForGood(t *testing.T) {
	for name, test := range map[string]struct {
		meddle func(*listAhead)
		ask    func(*fuse.ReadIn)
	}{
		"the world has changed":  {meddle: func(a *listAhead) { a.fsys.notices.Changed(3) }},
		"names are listed":       {meddle: func(a *listAhead) { a.fsys.opening.endList() }},
		"it has failed":          {meddle: func(a *listAhead) { a.next.ok = false }},
		"it is not asked for":    {ask: func(in *fuse.ReadIn) { in.Offset = 1 }},
		"another process asks":   {ask: func(in *fuse.ReadIn) { in.Pid = 8 }},
		"another directory's is": {ask: func(in *fuse.ReadIn) { in.NodeId = 2 }},
		"another file's is":      {ask: func(in *fuse.ReadIn) { in.Fh = 4 }},
		"less is":                {ask: func(in *fuse.ReadIn) { in.Size = 2048 }},
	} {
		t.Run(name, func(t *testing.T) {
			a, c := listingRig(5)
			lists(t, a, askList(0))
			c.settled(a)
			in := askList(2)
			if test.ask != nil {
				test.ask(in)
			}
			if test.meddle != nil {
				test.meddle(a)
			}
			require.Len(t, lists(t, a, in), 2)
			require.Equal(t, in.Offset, c.settled(a)[2], "it was asked for")
			a.ReleaseDir(&fuse.ReleaseIn{})
			want := map[uint64]int{1: 1, 2: 1}
			for i := in.Offset + 1; i <= in.Offset+2; i++ {
				want[i]++
			}
			for i, n := range c.known {
				require.Equal(t, want[i], n, "node %d", i)
			}
		})
	}
}

func TestAListingThatNobodyWaitsForIsNotMadeUpAhead(t *testing.T) {
	a, c := listingRig(5)
	a.fsys.opening.endList()
	lists(t, a, askList(0))
	require.Nil(t, a.next)
	require.Equal(t, []uint64{0}, c.asked)
}

// TestWhatTheKernelIsToldOfEntitiesIsNoted lists files' names among others, the second
// part made up ahead.
func TestWhatTheKernelIsToldOfEntitiesIsNoted(t *testing.T) {
	a, c := listingRig(4)
	c.suffix = layout.Suffix
	a.noting = true
	for _, offset := range []uint64{0, 2} {
		require.True(t, a.ReadDirPlus(nil, askList(offset), fuse.NewDirEntryList(make([]byte, 4096), offset)).Ok())
	}
	c.suffix = ".txt"
	a.stop()
	require.True(t, a.ReadDirPlus(nil, askList(2), fuse.NewDirEntryList(make([]byte, 4096), 2)).Ok())
	require.Equal(t, []toldName{{1, 101, 1}, {2, 102, 2}, {3, 103, 3}, {4, 104, 4}}, a.takeTold())

	c.suffix = layout.Suffix
	require.True(t, a.ReadDirPlus(nil, askList(0), fuse.NewDirEntryList(make([]byte, 4096), 0)).Ok())
	require.Empty(t, a.takeTold(), "nobody wants to know any more")
	a.ReleaseDir(&fuse.ReleaseIn{})
}

// TestAPanicAheadIsNobodysEnd has go-fuse come to know of it, as of any other, only
// when somebody asks.
func TestAPanicAheadIsNobodysEnd(t *testing.T) {
	a, c := listingRig(5)
	c.broken = true
	a.begin(askList(0), 2)
	require.Equal(t, []uint64{2}, c.settled(a))
	require.Panics(t, func() { lists(t, a, askList(2)) })
	c.broken = false
	require.Equal(t, []string{"3", "4"}, lists(t, a, askList(2)))
	a.ReleaseDir(&fuse.ReleaseIn{})
	require.Equal(t, 1, c.known[3])
}
