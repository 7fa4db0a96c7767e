package fsnode

import (
	"io"

	"github.com/worldfs/worldfs/internal/mounting/prefetch"
	"github.com/worldfs/worldfs/internal/mounting/replay"
)

// ReadAhead is what the process does that lists and reads a mount, and replays events in
// it: the command of prefetch.Start and of Options.Replayer calls it with its standard
// input and output.
func ReadAhead(in io.Reader, out io.Writer) error { return prefetch.Serve(in, out, replay.Lines) }
