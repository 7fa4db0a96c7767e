package svnsetup

import (
	"fmt"
	"os/exec"
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

// FromWindows returns a path as this system has it: in WSL, programs of Windows, as
// TortoiseSVN is, name files as C:\game\entities\6555.entity_text.
func FromWindows(path string) (string, error) {
	drive := len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/')
	if !drive && !strings.HasPrefix(path, `\\`) {
		return path, nil
	}
	out, err := exec.Command("wslpath", "-u", path).Output()
	if err != nil {
		return "", fmt.Errorf("%s is a path of Windows, and wslpath does not say what it is here: %w", path, err)
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}
