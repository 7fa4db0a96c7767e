package daemon

import (
	"errors"
	"io/fs"

	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

type keepCall struct {
	Name string `json:"name"`
	Data []byte `json:"data"`
}

var keepCommand = define(command[keepCall, nothing]{name: "keep", do: service.keep})

// Keep replaces a file of the local state in which a command keeps something for its
// next call. Where a mount covers the state, in which nothing can be changed, its daemon
// does it.
func Keep(dir *worlddir.Dir, name string, data []byte) error {
	err := dir.Keep(name, data)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	client, dialed := Mounted(dir)
	if dialed != nil || client == nil {
		return errors.Join(err, dialed)
	}
	_, err = keepCommand.on(&World{client}, keepCall{name, data})
	return err
}

func (s service) keep(c keepCall) (nothing, error) { return nothing{}, s.dir.Keep(c.Name, c.Data) }
