package fuseconn

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// device is what PM QoS was told.
type device struct {
	mu      sync.Mutex
	told    []int32
	closed  bool
	refuses bool
}

func (d *device) Write(b []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.refuses {
		return 0, unix.EINVAL
	}
	d.told = append(d.told, int32(binary.NativeEndian.Uint32(b)))
	return len(b), nil
}

func (d *device) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return errors.New("closed twice")
	}
	d.closed = true
	return nil
}

func (d *device) wasTold() []int32 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]int32(nil), d.told...)
}

func TestProcessorsAreHeldWhileRequestsComeFast(t *testing.T) {
	d := &device{}
	h := haltPolling{device: d}
	h.tick(fastRequests - 1)
	require.Empty(t, d.wasTold(), "too few")
	h.tick(fastRequests)
	h.tick(fastRequests)
	require.Equal(t, []int32{noLatency}, d.wasTold(), "once is enough")
	for range quietTicks - 1 {
		h.tick(0)
	}
	h.tick(fastRequests)
	for range quietTicks - 1 {
		h.tick(fastRequests - 1)
	}
	require.Equal(t, []int32{noLatency}, d.wasTold(), "a pause too short to count")
	for range 100 {
		h.tick(0)
	}
	require.Equal(t, []int32{noLatency, anyLatency}, d.wasTold())
	h.tick(fastRequests)
	require.Equal(t, []int32{noLatency, anyLatency, noLatency}, d.wasTold())
	h.end()
	require.True(t, d.closed)
}

func TestProcessorsThatAreNotOursToHold(t *testing.T) {
	var h haltPolling
	h.tick(fastRequests)
	h.end()
	d := &device{refuses: true}
	h = haltPolling{device: d}
	h.tick(fastRequests)
	h.end()
	require.Empty(t, d.told)
	require.True(t, d.closed)
}

func TestAMountHoldsProcessorsOnlyWhileItIsAsked(t *testing.T) {
	d := &device{}
	dir, _ := mountedWith(t, func(string) {}, func(s *Server) { s.halts.device = d })
	var n int
	require.Eventually(t, func() bool {
		for range 1000 {
			n++
			if err := ask(dir, fmt.Sprint(n)); err != unix.ENOENT {
				t.Error(err)
			}
		}
		return len(d.wasTold()) > 0
	}, time.Minute, time.Microsecond)
	require.Eventually(t, func() bool {
		told := d.wasTold()
		return told[len(told)-1] == anyLatency
	}, time.Minute, time.Millisecond)
}
