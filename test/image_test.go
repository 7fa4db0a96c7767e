package test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// image is what a power cut leaves of a disk. The file system that it is taken
// for keeps less than any that is in use does:
//
//   - fsync of a file makes durable what it holds, its mode and times, and the
//     last change of its name (as ext4, xfs and btrfs do);
//   - fsync of a directory makes all changes of names in it durable;
//   - a rename is whole, also between two directories, and the changes of one
//     directory stay in their order; but what was done in another directory
//     before need not be there (ext4 and xfs keep the order of all);
//   - of what was written since a file's last fsync any pages may be there, or
//     not; its size may be any that it had since, and what is missing is zeros;
//   - modes and times may be any since the last fsync.
type image struct {
	files map[fileID]*diskFile
	kept  map[int]bool // which changes of names are there, by index in the journal
	how   string
}

// powerCut returns what may be left of the disk if the power fails after the
// first n operations: all that is durable, and of the rest what chance says.
func (j *journal) powerCut(n int, random *rand.Rand) *image {
	c := &cut{ops: j.ops[:n], random: random}
	chances := []float64{0, 0.5, 1}
	c.names, c.data = chances[random.IntN(3)], chances[random.IntN(3)]
	c.order()
	c.keepSynced()
	for i := range c.ops {
		if c.before[i] != nil && random.Float64() < c.names*c.names {
			c.keep(i)
		}
	}
	img := &image{files: make(map[fileID]*diskFile), kept: c.kept, how: fmt.Sprintf("of what was not durable %v of the names, %v of the data", c.names, c.data)}
	for id, f := range j.base {
		copied := *f
		copied.entries = maps.Clone(f.entries)
		img.files[id] = &copied
	}
	img.rename(c)
	for id := range img.files {
		img.fill(id, c)
	}
	return img
}

// cut is the operations before a power cut.
type cut struct {
	ops         []diskOp
	random      *rand.Rand
	names, data float64       // the chances of what is not durable
	before      map[int][]int // for each change of names, those without which it cannot be there
	kept        map[int]bool
}

// changesNames reports whether an operation changes what names there are.
func (op *diskOp) changesNames() bool {
	switch op.op {
	case opMake, opLink, opRemove, opRename, opExchange:
		return true
	}
	return false
}

// order finds out what each change of names rests on: the change before in each
// of its directories, and that which made the directory or the file.
func (c *cut) order() {
	c.before = make(map[int][]int)
	last, maker := make(map[fileID]int), make(map[fileID]int)
	for i := range c.ops {
		op := &c.ops[i]
		if !op.changesNames() {
			continue
		}
		rests := []int{}
		need := func(in map[fileID]int, id fileID) {
			if k, ok := in[id]; ok {
				rests = append(rests, k)
			}
		}
		need(maker, op.file)
		for _, dir := range op.dirs() {
			need(maker, dir)
			need(last, dir)
		}
		for _, dir := range op.dirs() {
			last[dir] = i
		}
		if op.op == opMake {
			maker[op.file] = i
		}
		c.before[i] = rests
	}
}

func (op *diskOp) dirs() []fileID {
	if op.to != 0 && op.to != op.dir {
		return []fileID{op.dir, op.to}
	}
	return []fileID{op.dir}
}

// keepSynced keeps the changes of names that an fsync made durable.
func (c *cut) keepSynced() {
	c.kept = make(map[int]bool)
	of, in := make(map[fileID]int), make(map[fileID]int) // the last one of a file, and in a directory
	for i := range c.ops {
		op := &c.ops[i]
		if op.op == opFsync {
			for _, last := range []map[fileID]int{of, in} {
				if k, ok := last[op.file]; ok {
					c.keep(k)
				}
			}
		}
		if op.changesNames() {
			of[op.file] = i
			for _, dir := range op.dirs() {
				in[dir] = i
			}
		}
	}
}

func (c *cut) keep(i int) {
	for todo := []int{i}; len(todo) > 0; {
		i, todo = todo[0], todo[1:]
		if !c.kept[i] {
			c.kept[i] = true
			todo = append(todo, c.before[i]...)
		}
	}
}

// rename does the changes of names that are kept.
func (img *image) rename(c *cut) {
	for i := range c.ops {
		if !c.kept[i] {
			continue
		}
		op := &c.ops[i]
		dir := img.files[op.dir].entries
		switch op.op {
		case opMake:
			made := *op.new
			made.entries = maps.Clone(made.entries)
			img.files[op.file] = &made
			dir[op.name] = op.file
		case opLink:
			dir[op.name] = op.file
		case opRemove:
			delete(dir, op.name)
		case opRename:
			delete(dir, op.name)
			img.files[op.to].entries[op.as] = op.file
		case opExchange:
			to := img.files[op.to].entries
			dir[op.name], to[op.as] = to[op.as], dir[op.name]
		}
	}
}

// fill gives a file the contents, mode and times that it has after the cut.
func (img *image) fill(id fileID, c *cut) {
	var done []diskOp
	synced := 0 // of done
	for _, op := range c.ops {
		switch {
		case op.file != id:
		case op.op == opFsync:
			synced = len(done)
		case op.op == opWrite, op.op == opTruncate, op.op == opChmod, op.op == opTimes:
			done = append(done, op)
		}
	}
	f := img.files[id]
	f.data = slices.Clone(f.data)
	for _, op := range done[:synced] {
		f.do(op)
	}
	c.perhaps(f, done[synced:])
}

func (f *diskFile) do(op diskOp) {
	switch op.op {
	case opWrite:
		f.resize(max(int64(len(f.data)), op.at+int64(len(op.data))))
		copy(f.data[op.at:], op.data)
		f.mtime = time.Time{}
	case opTruncate:
		f.resize(op.at)
		f.mtime = time.Time{}
	case opChmod:
		f.mode = op.mode
	case opTimes:
		f.mtime = op.mtime
	}
}

// resize makes a file shorter, or longer by zeros.
func (f *diskFile) resize(size int64) {
	if size <= int64(len(f.data)) {
		f.data = f.data[:size]
		return
	}
	f.data = append(f.data, make([]byte, size-int64(len(f.data)))...)
}

// perhaps does of what was done since a file's last fsync what chance says.
func (c *cut) perhaps(f *diskFile, done []diskOp) {
	sized := 0 // the size is the one after so many of them
	switch {
	case c.data == 1:
		sized = len(done)
	case c.data > 0:
		sized = c.random.IntN(len(done) + 1)
	}
	for i, op := range done {
		known := i < sized
		switch {
		case op.op != opWrite:
			if !known {
				return // what came after it cannot be there
			}
			f.do(op)
		default:
			if known {
				f.resize(max(int64(len(f.data)), op.at+int64(len(op.data))))
			}
			c.somePages(f, op)
		}
	}
}

const diskPage = 4096

// somePages writes what chance says of a write, as far as the file reaches.
func (c *cut) somePages(f *diskFile, op diskOp) {
	for at := op.at; at < op.at+int64(len(op.data)) && at < int64(len(f.data)); {
		end := min((at/diskPage+1)*diskPage, op.at+int64(len(op.data)))
		if c.random.Float64() < c.data {
			copy(f.data[at:], op.data[at-op.at:end-op.at])
			f.mtime = time.Time{}
		}
		at = end
	}
}

// write makes the image a directory.
func (img *image) write(path string) error {
	return img.writeFile(rootID, path, make(map[fileID]string))
}

func (img *image) writeFile(id fileID, path string, written map[fileID]string) error {
	f := img.files[id]
	if first, ok := written[id]; ok {
		return os.Link(first, path)
	}
	written[id] = path
	switch f.kind {
	case unix.S_IFLNK:
		return os.Symlink(string(f.data), path)
	case unix.S_IFDIR:
		if err := os.Mkdir(path, 0o700); err != nil {
			return err
		}
		for name, child := range f.entries {
			if err := img.writeFile(child, filepath.Join(path, name), written); err != nil {
				return err
			}
		}
	default:
		if err := os.WriteFile(path, f.data, 0o600); err != nil {
			return err
		}
	}
	if err := unix.Chmod(path, f.mode); err != nil {
		return err
	}
	if f.mtime.IsZero() {
		return nil
	}
	return os.Chtimes(path, f.mtime, f.mtime)
}

// tell returns the last operations before a cut, and what became of them.
func (j *journal) tell(n, count int, img *image) string {
	names := make(map[fileID]string)
	var out []string
	for i := range j.ops[:n] {
		op := &j.ops[i]
		switch {
		case op.op == opMake, op.op == opLink:
			names[op.file] = op.name
		case op.as != "":
			names[op.file] = op.as
		}
		name := names[op.file]
		if name == "" {
			name = j.nameOf(op.file)
		}
		line := fmt.Sprintf("%5d %s %s(%d)", i, op.op, name, op.file)
		if op.changesNames() {
			line += fmt.Sprintf(" in %s(%d) %s -> %d %s", j.nameOf(op.dir), op.dir, op.name, op.to, op.as)
			if !img.kept[i] {
				line += "   LOST"
			}
		} else if op.op == opWrite {
			line += fmt.Sprintf(" %d+%d", op.at, len(op.data))
		}
		out = append(out, line)
	}
	return strings.Join(out[max(0, len(out)-count):], "\n")
}

// nameOf returns a name that a file had at the beginning.
func (j *journal) nameOf(id fileID) string {
	for _, dir := range j.base {
		for name, child := range dir.entries {
			if child == id {
				return name
			}
		}
	}
	return ""
}
