package seal_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/mounting/fuseconn"
	"github.com/worldfs/worldfs/internal/mounting/seal"
)

// request is one with an opcode and no body.
func request(op uint32) []byte {
	in := make([]byte, 40)
	binary.NativeEndian.PutUint32(in[4:], op)
	return in
}

const (
	opGetAttr = 3
	opWrite   = 16
)

func TestAClosedSealRefusesChangesOnly(t *testing.T) {
	s := seal.New()
	reached := 0
	h := s.Guard(func([]byte, []byte) int { reached++; return 0 })
	out := make([]byte, 64)
	h(request(opWrite), out)
	require.Equal(t, 1, reached)
	require.True(t, s.Close(s.Changes()))
	n := h(request(opWrite), out)
	require.Equal(t, 1, reached)
	require.Equal(t, fuseconn.Refusal(make([]byte, 64), request(opWrite), unix.EROFS), out[:n])
	h(request(opGetAttr), out)
	require.Equal(t, 2, reached)
	s.Open()
	h(request(opWrite), out)
	require.Equal(t, 3, reached)
}

func TestASealClosesOnlyWhereNothingWasChanged(t *testing.T) {
	s := seal.New()
	since := s.Changes()
	h := s.Guard(func([]byte, []byte) int {
		require.False(t, s.Close(s.Changes()), "a change is under way")
		return 0
	})
	h(request(opWrite), make([]byte, 64))
	require.False(t, s.Close(since), "one has begun")
	require.True(t, s.Close(s.Changes()))
}
