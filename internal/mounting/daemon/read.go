package daemon

import (
	"errors"
	"fmt"
	"os"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/mend"
	"github.com/worldfs/worldfs/packfile"
)

// Reading is a world as it is at one moment: last good values.
type Reading struct {
	World  entity.GUID
	Types  *entity.Types
	Source entity.Source
}

// Read returns the world as it is now.
func (w *World) Read() (Reading, error) { return w.open.read() }

type readAnswer struct{ Pack []byte }

// readCommand hands over the pack of a world that is mounted, where it cannot be
// published (see Client.read).
var readCommand = define(command[nothing, readAnswer]{
	name: "read",
	do: func(s service, _ nothing) (a readAnswer, err error) {
		a.Pack, err = s.world.Pack()
		return a, err
	},
})

// read has the pack published and reads that: whatever the daemon does next,
// it is one moment's. Where it cannot be published, for want of room or since a great
// loss waits, the daemon hands it over.
func (c *Client) read() (Reading, error) {
	pack, err := c.readPack()
	if errors.Is(err, os.ErrNotExist) {
		return Reading{Types: &entity.Types{}, Source: &entity.World{}}, nil
	}
	if err != nil {
		return Reading{}, err
	}
	return Reading{World: c.dir.ID, Types: pack.Types(), Source: pack}, nil
}

func (c *Client) readPack() (*packfile.Pack, error) {
	err := c.sync()
	if err == nil {
		return mend.ReadPublished(c.dir)
	}
	if !isLoss(err) && !disk.IsNoRoom(err) {
		return nil, err
	}
	a, err := readCommand.on(&World{c}, nothing{})
	if err != nil {
		return nil, err
	}
	pack, err := packfile.Parse(a.Pack)
	if err != nil {
		return nil, fmt.Errorf("read the daemon's answer: %w", err)
	}
	return pack, nil
}

func (l *local) read() (Reading, error) {
	view, err := l.world.View()
	if err != nil {
		return Reading{}, err
	}
	return Reading{World: view.World(), Types: view.Types(), Source: view}, nil
}

func (r *readOnly) read() (Reading, error) {
	if r.pack == nil {
		return Reading{}, r.newer
	}
	return Reading{World: r.dir.ID, Types: r.pack.Types(), Source: r.pack}, nil
}
