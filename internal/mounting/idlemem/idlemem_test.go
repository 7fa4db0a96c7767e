package idlemem

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMemoryIsGivenBackWhenThereIsNoWork(t *testing.T) {
	var i idling
	now, u := time.Unix(1e9, 0), heapUse{unused: 10 * idleWorth}
	looks := func(n int, allocated uint64) (due int) {
		for range n {
			now, u.allocated = now.Add(idleLook), u.allocated+allocated
			if i.due(now, u) {
				due++
			}
		}
		return due
	}
	const quiet = int(idleAfter / idleLook)
	require.Zero(t, looks(100, 2*idleLittle), "while there is work")
	require.Zero(t, looks(quiet-1, 0), "soon after")
	require.Equal(t, 1, looks(1, idleLittle/2))
	u.unused = idleWorth - 1
	require.Zero(t, looks(100, idleLittle/2), "where it is not worth it")
	u.unused = idleWorth
	require.Equal(t, 1, looks(1, 0))
	require.Zero(t, looks(1, 2*idleLittle))
}

func TestTheHeapIsRead(t *testing.T) { require.NotZero(t, readHeapUse().allocated) }
