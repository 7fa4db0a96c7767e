package pull

import (
	"slices"
	"strings"
)

// dirty is a file that git's index or the working tree has otherwise than HEAD.
type dirty struct {
	name   string // from the top
	staged bool   // the index has it otherwise than HEAD
	edited bool   // the working tree has it otherwise than the index
	told   bool   // git was told that it is to be added, and has nothing of it
}

// findDirty asks git what is not committed, but for what it is to ignore.
func (r *repository) findDirty() (all []dirty, err error) {
	lines, err := r.git.List("status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=dirty")
	if err != nil {
		return nil, err
	}
	for _, line := range lines { // "XY name"
		if len(line) < 4 {
			continue
		}
		x, y := line[0], line[1]
		all = append(all, dirty{name: line[3:], staged: !strings.ContainsRune(" ?", rune(x)), edited: y != ' ', told: x == ' ' && y == 'A'})
	}
	return all, nil
}

// dirtyWorld returns which of those are part of the world, named from its directory.
func (r *repository) dirtyWorld(all []dirty) (world []dirty) {
	for _, d := range all {
		if r.isWorlds(d.name) {
			d.name = strings.TrimPrefix(d.name, r.git.Prefix())
			world = append(world, d)
		}
	}
	return world
}

// names returns the names of those of which is holds.
func names(all []dirty, is func(dirty) bool) []string {
	var out []string
	for _, d := range all {
		if is(d) {
			out = append(out, d.name)
		}
	}
	slices.Sort(out)
	return out
}
