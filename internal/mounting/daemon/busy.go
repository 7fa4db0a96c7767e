package daemon

import (
	"fmt"
	"strings"

	"github.com/worldfs/worldfs/internal/mounting/mounts"
)

// BusyError names the processes that keep a mount from being unmounted.
type BusyError struct {
	Mount   string
	Holders []mounts.Holder // without those that stand there only, which are not in the way
}

func (e *BusyError) Error() string {
	if len(e.Holders) == 0 {
		return e.Mount + " is busy, and the processes that hold it are not ours to see; close what is open there and try again"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s is busy:", e.Mount)
	for _, h := range e.Holders {
		b.WriteString("\n  " + h.String())
	}
	b.WriteString("\nclose it there and try again")
	return b.String()
}
