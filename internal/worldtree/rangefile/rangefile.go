// Package rangefile reads a world's id_ranges as it is in force, and changes it.
//
// A file that does not parse, as one with a merge's markers in it, leaves the last one in
// force that did; so does one that is gone, unless that one had no ranges. A copy of that is
// kept in .worldfs each time that another one is read; a world with no local state, such as a
// checkout that is only read, gets none. So a file that is being edited takes no range away for
// a moment.
package rangefile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/idrange"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// File is what id_ranges says.
type File struct {
	Data   []byte          // of the file as it is now
	Ranges []idrange.Range // in force, as they are written: they can overlap
	Wrong  *idrange.Error  // why the file is not in force; nil: it is
	Kept   bool            // where it is not: whether Ranges are those of an earlier one
	Gone   bool            // it is not in force since there is none, though there was one with ranges
}

// BringBack is the command that has the last good file be the world's again, as it is typed in
// the world directory.
const BringBack = "cp .worldfs/" + worlddir.KeptRangesName + " " + worlddir.RangesName

// Read reads a world's file. One that there never was has no ranges. One that does not parse,
// or is gone, is no error.
func Read(dir *worlddir.Dir) (File, error) {
	data, err := disk.ReadFile(dir.RangesPath(), idrange.MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return missing(dir), nil
	}
	if err != nil {
		return File{}, fmt.Errorf("read ID ranges: %w", err)
	}
	f := File{Data: data}
	if f.Ranges, err = idrange.Parse(data, dir.Plainly(dir.RangesPath())); err == nil {
		keep(dir, data)
		return f, nil
	}
	if !errors.As(err, &f.Wrong) {
		return f, err
	}
	f.Ranges, f.Kept = lastGood(dir)
	return f, nil
}

// missing returns what counts where there is no file. Ranges are taken back by lines that are
// taken out, not by a file that is lost: others still go by theirs.
func missing(dir *worlddir.Dir) File {
	ranges, _ := lastGood(dir)
	if len(ranges) == 0 {
		return File{}
	}
	gone := &idrange.Error{File: dir.Plainly(dir.RangesPath()), Reason: "the file is gone (" + BringBack + " brings it back)"}
	return File{Ranges: ranges, Wrong: gone, Kept: true, Gone: true}
}

// keep has the file stand in for later ones that do not parse. That it cannot be kept harms
// no one yet.
func keep(dir *worlddir.Dir, data []byte) {
	if _, err := os.Lstat(dir.StatePath()); err != nil || dir.CheckFormat() != nil {
		return
	}
	if kept, err := dir.Kept(worlddir.KeptRangesName); err == nil && !bytes.Equal(kept, data) {
		_ = dir.Keep(worlddir.KeptRangesName, data)
	}
}

// lastGood returns the ranges of the last file that could be read.
func lastGood(dir *worlddir.Dir) ([]idrange.Range, bool) {
	if dir.CheckState() != nil {
		return nil, false // what lies there is not to be believed
	}
	data, err := dir.Kept(worlddir.KeptRangesName)
	if err != nil || data == nil {
		return nil, false
	}
	ranges, err := idrange.Parse(data, "")
	return ranges, err == nil
}

// Write replaces a world's file. It returns when the new one is durable.
func Write(dir *worlddir.Dir, data []byte) error {
	path := dir.RangesPath()
	perm := fs.FileMode(0o644)
	switch info, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("write ID ranges: %w", err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("write ID ranges: %w", disk.CheckFile(path))
	case info.Mode().Perm()&0o200 == 0:
		return fmt.Errorf("write ID ranges: %s may not be written; where it is svn that has it so, svn lock %s first", path, filepath.Base(path))
	default:
		perm = info.Mode().Perm()
	}
	if err := (&disk.Disk{}).WriteAtomic(worlddir.RangesName, path, data, perm); err != nil {
		return fmt.Errorf("write ID ranges: %w", err)
	}
	return nil
}

// Change replaces a world's file where it is to be otherwise than it was.
func Change(dir *worlddir.Dir, was, is []byte) error {
	if bytes.Equal(was, is) {
		return nil
	}
	return Write(dir, is)
}
