package seal

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestWhatIsAChange(t *testing.T) {
	request := func(op, first uint32) []byte {
		in := make([]byte, openFlagsAt, openFlagsAt+4)
		binary.NativeEndian.PutUint32(in[4:], op)
		return binary.NativeEndian.AppendUint32(in, first)
	}
	for _, op := range []uint32{4, 16, 35, 45} {
		require.True(t, isChange(request(op, 0)), op)
	}
	for _, op := range []uint32{1, 2, 3, 5, 15, 17, 20, 25, 26, 28, 44} {
		require.False(t, isChange(request(op, 1)), op)
	}
	require.False(t, isChange(request(opOpen, unix.O_RDONLY)))
	require.True(t, isChange(request(opOpen, unix.O_RDWR)))
	require.True(t, isChange(request(opOpen, unix.O_WRONLY)))
	require.True(t, isChange(request(opOpen, unix.O_RDONLY|unix.O_TRUNC)))
	require.False(t, isChange([]byte{1, 2, 3}))
}
