package fuseconn

import (
	"encoding/binary"
	"io"
	"os"
	"strings"
)

// haltPolling has the idle processors of a virtual machine look for work instead of
// halting while requests come fast. A processor that halts is the host's: to wake
// it costs the daemon an exit to the host, and the caller the host's scheduler,
// together more than most answers. One that polls sees by itself that a thread on
// it has been answered.
//
// How long a processor polls before it halts is the machine's own setting
// (Documentation/virt/guest-halt-polling.rst), and may be not at all. A process that
// may write the device can have none halt for a while
// (Documentation/power/pm_qos_interface.rst), which ends with this process at the
// latest. Only the watchdog uses it.
type haltPolling struct {
	device io.WriteCloser // nil where it is not ours to say
	held   bool
	quiet  int // how many ticks there were with few requests
}

const (
	// fastRequests is how many requests in a tick are worth it: with fewer, there
	// is not a tenth of the time to be won.
	fastRequests = 8
	// quietTicks is how many ticks with fewer end it.
	quietTicks = 3
)

const (
	idleDriver    = "/sys/devices/system/cpu/cpuidle/current_driver"
	latencyDevice = "/dev/cpu_dma_latency"
)

// What is written to the device: within how many microseconds a processor is to be
// awake, and that it does not matter any more.
const (
	noLatency  int32 = 0
	anyLatency int32 = -1
)

// PollHalts has idle processors not halt while requests come fast, where they are a
// virtual machine's and this process may say so (root may). It is called before
// Serve.
func (s *Server) PollHalts() {
	driver, err := os.ReadFile(idleDriver)
	if err != nil || strings.TrimSpace(string(driver)) != "haltpoll" {
		return
	}
	if device, err := os.OpenFile(latencyDevice, os.O_WRONLY, 0); err == nil {
		s.halts.device = device
	}
}

// tick notes how many requests came since the last one.
func (h *haltPolling) tick(requests uint64) {
	if requests >= fastRequests {
		h.quiet = 0
		h.hold(true)
		return
	}
	if h.quiet++; h.quiet == quietTicks {
		h.hold(false)
	}
}

func (h *haltPolling) hold(hold bool) {
	if h.device == nil || h.held == hold {
		return
	}
	latency := anyLatency
	if hold {
		latency = noLatency
	}
	h.held = hold
	// Refused, everything is as right, and slower.
	_, _ = h.device.Write(binary.NativeEndian.AppendUint32(nil, uint32(latency)))
}

// end leaves the machine as it was.
func (h *haltPolling) end() {
	if h.device != nil {
		_ = h.device.Close()
	}
}
