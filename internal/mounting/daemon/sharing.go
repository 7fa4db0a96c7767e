package daemon

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/worldfs/worldfs/internal/mounting/socket"
	"github.com/worldfs/worldfs/internal/storage/osfile"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// Use is one process's use of a mount that processes share: the last of them ends it,
// where one of them has begun it. Each has a shared lock on a file beside the control
// socket, which the kernel gives back however the process ends; the file says which mount
// is to be ended. It goes with the mount.
type Use struct {
	file   *os.File
	dir    *worlddir.Dir
	record Record
}

// Share has this process use the mount of a daemon. The error is an ErrNoDaemon where the
// mount has ended meanwhile.
func Share(dir *worlddir.Dir, r Record) (*Use, error) {
	f, err := os.OpenFile(usersPath(r.Socket), os.O_RDWR|os.O_CREATE|osfile.NoFollow, 0o600)
	if err != nil {
		return nil, fmt.Errorf("share the mount: %w", err)
	}
	u := &Use{f, dir, r}
	err = osfile.Lock(f, osfile.Shared) // waits while the last user ends the mount
	if err == nil && !u.serves() {
		err = ErrNoDaemon
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("share the mount: %w", err)
	}
	return u, nil
}

// serves reports whether the daemon whose mount this is serves the world still.
func (u *Use) serves() bool {
	client, err := Mounted(u.dir)
	return err == nil && client != nil && client.mountName() == u.record.mountName()
}

// Claim has the last user end the mount.
func (u *Use) Claim() error {
	_, err := u.file.WriteAt([]byte(u.record.mountName()), 0)
	if err != nil {
		return fmt.Errorf("note that the mount is to be ended: %w", err)
	}
	return nil
}

// Disclaim has a mount stay when its users have ended.
func Disclaim(r Record) error {
	err := os.Truncate(usersPath(r.Socket), 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil // it has had no users
	}
	return err
}

// Claimed reports whether the last user is to end the mount.
func (u *Use) Claimed() bool {
	name, err := io.ReadAll(io.NewSectionReader(u.file, 0, 128))
	return err == nil && string(name) == u.record.mountName() && u.serves()
}

// IsLast reports whether no other process uses the mount. None begins to before Close.
// It is called once: a user that is not the last does not count from then on.
func (u *Use) IsLast() bool { return osfile.TryLock(u.file, osfile.Exclusive) == nil }

// Close ends the use.
func (u *Use) Close() { _ = u.file.Close() } // which nothing was written to

// mountName tells one mount of a world from the next.
func (r Record) mountName() string { return fmt.Sprintf("%d %d\n", r.Pid, r.Started.UnixNano()) }

func usersPath(path string) string { return strings.TrimSuffix(path, socket.Suffix) + ".users" }
