package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/worldfs/worldfs/internal/mounting/mounts"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

type (
	unpackCall   struct{ To string } // "": the plain files in entities/ are brought up to date
	unpackAnswer struct{ Written int }
)

var unpackCommand = define(command[unpackCall, unpackAnswer]{
	name: "unpack", writes: func(c unpackCall) bool { return c.To == "" },
	ask: (*Client).unpack,
	inDaemon: func(d *daemon, c unpackCall) (a unpackAnswer, err error) {
		a.Written, err = d.unpack(c.To)
		return a, err
	},
	alone: func(l *local, c unpackCall) (a unpackAnswer, err error) {
		a.Written, err = l.unpack(c.To)
		return a, err
	},
})

// Unpack writes every entity's text into the directory to, which is made; for
// "" it brings the plain files in entities/ up to date.
func (w *World) Unpack(to string) (written int, err error) {
	a, err := unpackCommand.on(w, unpackCall{to})
	return a.Written, err
}

// unpack makes the directory here, so that every symlink on the way can be
// followed: the daemon must see when it is its mount.
func (c *Client) unpack(call unpackCall) (unpackAnswer, error) {
	made := false
	if call.To != "" {
		_, err := os.Lstat(call.To)
		made = errors.Is(err, fs.ErrNotExist)
		if err := os.MkdirAll(call.To, 0o777); err != nil {
			return unpackAnswer{}, fmt.Errorf("make the directory to unpack to: %w", err)
		}
		if real, err := filepath.EvalSymlinks(call.To); err == nil {
			call.To = real
		}
	}
	a, err := ask[unpackAnswer](c, "unpack", call)
	if err != nil && made {
		os.Remove(call.To) // only if it is empty
	}
	return a, err
}

// unpack also brings back the plain files that are missing.
func (l *local) unpack(to string) (int, error) {
	if to != "" {
		return l.service.unpack(to)
	}
	l.world.KeepPlain()
	written, err := l.service.unpack("")
	if err == nil {
		l.lost = nil
	}
	return written, err
}

// unpack writes nothing into the mount: it shows the files already, and a
// daemon that uses its own mount can wait for itself.
func (d *daemon) unpack(to string) (int, error) {
	if to == "" || mounts.Within(to, filepath.Join(d.dir.Root, worlddir.EntitiesName)) {
		return 0, fmt.Errorf("the world is mounted: %s shows its files already; unmount it, or name another directory with --to", d.record.Mount)
	}
	beneath, ok := d.beneathMount(to)
	if !ok {
		return d.service.unpack(to)
	}
	n, err := d.service.unpack(beneath)
	inMount, _ := filepath.Rel(d.beneath.root, to) // both are absolute
	return n, errors.Join(err, d.mount.InvalidateBeneath(inMount, unpackedDepth))
}

// unpackedDepth is how many levels of directories unpack writes to: its target,
// and the shards in it.
const unpackedDepth = 2

func (s service) unpack(to string) (written int, err error) { return s.world.WritePlain(to, to != "") }
