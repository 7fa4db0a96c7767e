package mounts

import (
	"fmt"
	"slices"
)

// Holder is a process that keeps a mount busy.
type Holder struct {
	Pid  int
	Name string // the program's
	How  string // "is in", "has open", "has mapped", "runs"
	Path string
	Ours bool // the process that asks for the unmount was started from it
}

// standsIn is how a process holds the directory that it is in.
const standsIn = "is in"

func (h Holder) String() string {
	return fmt.Sprintf("%s (process %d) %s %s", h.Name, h.Pid, h.How, h.Path)
}

// StandsOnly reports whether the process holds nothing but its working directory.
func (h Holder) StandsOnly() bool { return h.How == standsIn }

// AllStandOnly reports whether there are holders, and each holds nothing but its
// working directory.
func AllStandOnly(found []Holder) bool {
	return len(found) > 0 && !slices.ContainsFunc(found, func(h Holder) bool { return !h.StandsOnly() })
}

// MarkOurs returns the holders, those marked that are among these processes.
func MarkOurs(pids []int, found []Holder) []Holder {
	marked := slices.Clone(found)
	for i := range marked {
		marked[i].Ours = slices.Contains(pids, marked[i].Pid)
	}
	return marked
}
