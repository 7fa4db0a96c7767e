package about

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/packfile"
)

// release is the version that the linker puts in; see scripts/release.sh. A build of
// another kind leaves it empty, and then the Go tool's own version counts.
var release string

// Build is which worldfs this is.
type Build struct {
	Version  string     `json:"version"`
	Revision string     `json:"revision,omitempty"` // of the source, in version control
	Modified bool       `json:"modified"`           // whether the source had changes that were not committed
	Time     *time.Time `json:"time,omitempty"`     // of the revision
	Go       string     `json:"go"`
	Platform string     `json:"platform"`
	Formats  formats    `json:"formats"`
}

// formats are the newest versions that this build reads and writes.
type formats struct {
	World    int    `json:"world"`    // format in world.toml
	Pack     string `json:"pack"`     // of the pack's header
	Protocol int    `json:"protocol"` // of the control socket
}

// ThisBuild returns which worldfs this is.
func ThisBuild() Build {
	b := Build{
		Version: release, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Formats: formats{worlddir.Format, fmt.Sprintf("%d.%d", packfile.Major, packfile.Minor), daemon.Protocol},
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	b.read(info)
	return b
}

// read takes over what the Go tool put into the program.
func (b *Build) read(info *debug.BuildInfo) {
	if b.Version == "" {
		b.Version = info.Main.Version
	}
	if b.Version == "" {
		b.Version = "(unknown version)"
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		case "vcs.time":
			if at, err := time.Parse(time.RFC3339, s.Value); err == nil {
				b.Time = &at
			}
		}
	}
}
