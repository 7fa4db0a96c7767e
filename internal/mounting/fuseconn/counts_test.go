package fuseconn

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestRequestsAreCountedByKind(t *testing.T) {
	request := func(op, first uint32) []byte {
		in := binary.NativeEndian.AppendUint32(make([]byte, inHeaderSize), first)
		binary.NativeEndian.PutUint32(in[opcodeAt:], op)
		return in
	}
	var s Server
	for _, op := range []uint32{opLookup, opLookup, opForget, 12, 45, opInit, opInterrupt, 7, 1 << 20} {
		s.counts.add(request(op, 5))
	}
	s.counts.add(request(opBatchForget, 5))
	s.counts.add([]byte{1, 2, 3})
	require.Equal(t, map[string]uint64{"lookup": 2, "forget": 6, "rename": 2}, s.Counts())
	s.ResetCounts()
	require.Empty(t, s.Counts())
}

func TestAServerCountsWhatItIsAsked(t *testing.T) {
	dir, s := mounted(t, func(string) {})
	require.ErrorIs(t, ask(dir, "a"), unix.ENOENT)
	require.ErrorIs(t, ask(dir, "b"), unix.ENOENT)
	require.EqualValues(t, 2, s.Counts()["lookup"])
}
