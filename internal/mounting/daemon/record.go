package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/mounting/mounts"
	"github.com/worldfs/worldfs/internal/mounting/socket"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// Record is .worldfs/daemon.json: where the daemon is. The process that keeps a world in step
// which is not mounted has one in .worldfs/keeper.json, without a mount.
type Record struct {
	Socket  string    `json:"socket,omitempty"`
	Address string    `json:"address,omitempty"` // of the loopback interface, where there is no socket
	Token   string    `json:"token,omitempty"`   // with Address: what a call has to show
	Pid     int       `json:"pid"`
	World   string    `json:"world"`           // the world directory
	ID      string    `json:"id"`              // the world's
	Shape   string    `json:"shape,omitempty"` // entities or cover
	Mount   string    `json:"mount,omitempty"` // the mountpoint
	Started time.Time `json:"started"`
}

// ErrNoDaemon says that no daemon serves the world. A call that ends with it
// on a Client found the daemon gone; the world can be opened again.
var ErrNoDaemon = errors.New("the world is not mounted")

// readRecord returns what daemon.json says; where it is missing, as when
// .worldfs was removed under the mount, what the runtime directory does.
// One that does not parse, or that came with a copy of another world's
// directory, is none.
func readRecord(dir *worlddir.Dir) (Record, error) {
	r, err := readRecordFile(dir.DaemonPath())
	if errors.Is(err, ErrNoDaemon) {
		for _, runtimeDir := range socket.Dirs() {
			if r, err = readRecordFile(filepath.Join(runtimeDir, socket.Name(dir.Root)+recordSuffix)); err == nil {
				break
			}
		}
	}
	if err == nil && r.World != dir.Root {
		err = ErrNoDaemon
	}
	if err != nil {
		return Record{}, err
	}
	return r, nil
}

func readRecordFile(path string) (r Record, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return r, ErrNoDaemon
	}
	if err != nil {
		return r, fmt.Errorf("read %s: %w", path, err)
	}
	if json.Unmarshal(text, &r) != nil {
		return Record{}, ErrNoDaemon
	}
	return r, nil
}

// recordSuffix ends the name of the copy of daemon.json beside the socket.
const recordSuffix = ".json"

// Path returns the file that says where the daemon is also where its mount covers the world.
func (r Record) Path() string { return besideSocket(r.Socket) }

func besideSocket(path string) string {
	return strings.TrimSuffix(path, socket.Suffix) + recordSuffix
}

// writeRecord says where the daemon is: in .worldfs, and beside its socket,
// where it is found when the former is gone, or world.toml is.
func writeRecord(dir *worlddir.Dir, r Record) error {
	for _, path := range []string{besideSocket(r.Socket), dir.DaemonPath()} {
		if err := writeRecordFile(path, r); err != nil {
			return err
		}
	}
	return nil
}

func writeRecordFile(path string, r Record) error {
	text, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	disk.Sweep(path, "tmp") // of a process that was killed here
	return (&disk.Disk{}).WriteAtomic("daemon.json", path, append(text, '\n'), 0o600)
}

// removeRecord takes away by what a daemon is found.
func removeRecord(dir *worlddir.Dir, r Record) {
	for _, path := range []string{r.Socket, besideSocket(r.Socket), usersPath(r.Socket), dir.DaemonPath()} {
		_ = os.Remove(path) // it may have gone before
	}
}

// FindMounted returns the world directory that from lies in, if a daemon serves
// it, by what the daemons have noted: while a world is mounted its world.toml
// may be gone, as on a branch that has none. Otherwise it returns nil.
func FindMounted(from string) *worlddir.Dir {
	var best Record
	for _, r := range runtimeRecords() {
		if (mounts.Within(from, r.World) || mounts.Within(from, r.Mount)) && len(r.World) > len(best.World) {
			best = r
		}
	}
	id, err := uuid.Parse(best.ID)
	if err != nil {
		return nil
	}
	dir := worlddir.Known(best.World, entity.GUID(id))
	if client, err := dial(dir); err != nil || client == nil {
		return nil
	}
	return dir
}

// runtimeRecords returns what the daemons of this user have noted.
func runtimeRecords() (records []Record) {
	for _, dir := range socket.Dirs() {
		if worlddir.CheckPrivate(dir) != nil {
			continue
		}
		paths, _ := filepath.Glob(filepath.Join(dir, "*"+recordSuffix)) // the pattern is a good one
		for _, path := range paths {
			if r, err := readRecordFile(path); err == nil && besideSocket(r.Socket) == path {
				records = append(records, r)
			}
		}
	}
	return records
}

// sweepRecords takes away what daemons have left that were killed and that
// no command has asked for since.
func sweepRecords() {
	for _, r := range runtimeRecords() {
		if !mounts.Lives(r.Pid) {
			for _, path := range []string{r.Socket, usersPath(r.Socket), besideSocket(r.Socket)} {
				_ = os.Remove(path) // what stays is harmless
			}
		}
	}
}
