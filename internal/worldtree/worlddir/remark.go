package worlddir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/worldfs/worldfs/internal/storage/osfile"
)

// GitDiscovery is the variable that has git look for its repository across the
// boundary of a file system, as a mount's is. It is git's own name.
const GitDiscovery = "GIT_DISCOVERY_ACROSS_FILESYSTEM"

// NeedsGitDiscovery reports whether git, run inside the mount, finds its repository
// only if the variable of that name says so, which is not set here.
func (m Mounting) NeedsGitDiscovery() bool {
	_, set := os.LookupEnv(GitDiscovery)
	return !set && m.Shape == ShapeEntities && workingCopy(m.At, ".git") != ""
}

// FirstTime reports whether a remark of that name was never made in this clone, and
// notes that it is made now. It comes after EnsureState.
func (d *Dir) FirstTime(remark string) (bool, error) {
	f, err := os.OpenFile(d.remarkPath(remark), os.O_WRONLY|os.O_CREATE|os.O_EXCL|osfile.NoFollow, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return true, fmt.Errorf("note that %s was said: %w", remark, err)
	}
	return true, f.Close()
}

// WasSaid reports whether FirstTime has noted a remark of that name in this clone.
func (d *Dir) WasSaid(remark string) bool {
	_, err := os.Lstat(d.remarkPath(remark))
	return err == nil
}

func (d *Dir) remarkPath(remark string) string { return d.state("said-" + remark) }
