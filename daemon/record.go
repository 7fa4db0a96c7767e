package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/worldfs/worldfs/disk"
	"github.com/worldfs/worldfs/worlddir"
)

// Record is .worldfs/daemon.json: where the daemon is.
type Record struct {
	Socket  string    `json:"socket"`
	Pid     int       `json:"pid"`
	World   string    `json:"world"` // the world directory
	Shape   string    `json:"shape"` // entities or cover
	Mount   string    `json:"mount"` // the mountpoint
	Started time.Time `json:"started"`
}

// ErrNoDaemon says that no daemon serves the world. A call that ends with it
// on a Client found the daemon gone; the world can be opened again.
var ErrNoDaemon = errors.New("the world is not mounted")

// readRecord returns what daemon.json says. One that does not parse, or that
// came with a copy of another world's directory, is none.
func readRecord(dir *worlddir.Dir) (Record, error) {
	var r Record
	text, err := os.ReadFile(dir.DaemonPath())
	if errors.Is(err, fs.ErrNotExist) {
		return r, ErrNoDaemon
	}
	if err != nil {
		return r, fmt.Errorf("read daemon.json: %w", err)
	}
	if json.Unmarshal(text, &r) != nil || r.World != dir.Root {
		return Record{}, ErrNoDaemon
	}
	return r, nil
}

func writeRecord(dir *worlddir.Dir, r Record) error {
	text, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("write daemon.json: %w", err)
	}
	return (&disk.Disk{}).WriteAtomic("daemon.json", dir.DaemonPath(), append(text, '\n'), 0o600)
}
