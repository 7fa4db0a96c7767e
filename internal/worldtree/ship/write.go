package ship

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/worldfs/worldfs/internal/storage/disk"
)

// File is a file of a build.
type File struct {
	What string // as steps and messages name it
	Path string
	Data []byte
}

// Write puts the files of a build in place of those of the last one, in their order. Each
// is written beside its place and read back first; if any of that fails all old files are
// as they were. A process that is killed between two of them leaves a map and a pack of
// two builds: each says of which it is. Two processes may not write one build at once.
func Write(d *disk.Disk, files ...File) (err error) {
	temps := make([]string, 0, len(files))
	defer func() {
		for _, temp := range temps {
			if gone := os.Remove(temp); err == nil && gone != nil && !errors.Is(gone, os.ErrNotExist) {
				err = gone
			}
		}
	}()
	for _, f := range files {
		disk.Sweep(f.Path, "tmp") // of a process that was killed
		temp := disk.Beside(f.Path, "tmp")
		if err := d.WriteFileUmasked(f.What, temp, f.Data, 0o666); err != nil {
			return err
		}
		temps = append(temps, temp)
		written, err := os.ReadFile(temp)
		if err != nil {
			return fmt.Errorf("read %s back: %w", f.What, err)
		}
		if !bytes.Equal(written, f.Data) {
			return fmt.Errorf("%s: the disk has other bytes than were written", f.Path)
		}
	}
	for i, f := range files {
		if err := d.Rename(f.What, temps[i], f.Path); err != nil {
			return err
		}
	}
	for _, f := range files {
		if err := d.SyncDir(f.What, filepath.Dir(f.Path)); err != nil {
			return err
		}
	}
	return nil
}
