package svnsetup

import (
	"strings"

	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// Diff3 is a call of diff3-cmd: -E -m -L .mine -L .r7 -L .r9 and three files.
type Diff3 struct {
	Mine, Older, Yours string
	Merge              bool // it is of svn merge, else of an update or a switch
}

// ParseDiff3 reads the arguments of such a call. There are three or more.
func ParseDiff3(args []string) (d Diff3) {
	n := len(args)
	d.Mine, d.Older, d.Yours = args[n-3], args[n-2], args[n-1]
	for i, arg := range args[:n-3] {
		if arg == "-L" && args[i+1] == ".working" {
			d.Merge = true
		}
	}
	return d
}

// IsEntity reports whether a file of a world is an entity's.
func IsEntity(name string) bool {
	file, inside := strings.CutPrefix(name, worlddir.EntitiesName+"/")
	_, _, is := layout.Of(file)
	return inside && is
}
