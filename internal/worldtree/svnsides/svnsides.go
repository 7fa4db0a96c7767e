// Package svnsides keeps the three texts of entities that svn could not merge: svn forgets
// them as soon as a conflict is resolved, by whatever means.
//
// There is a file for each, .worldfs/sides/KEY.json. So no call changes what another has
// written: svn runs a program for each file of an update, beside whatever else reads or
// writes the world. A file is there whole or not at all; its name is made of what is in it,
// so that one that is damaged is known. What is kept is bounded: the oldest gives way.
package svnsides

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/leftovers"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

const (
	version  = 1
	maxTexts = 1 << 20 // of one entity, together
	maxTotal = 32 << 20
)

// Sides are the texts of an entity that svn could not merge.
type Sides struct {
	Version int       `json:"version"`
	Name    string    `json:"name"`            // the file's, from the world directory
	Time    time.Time `json:"time"`            // when it was recorded
	Merge   bool      `json:"merge,omitempty"` // by svn merge, else by an update or switch
	Base    []byte    `json:"base"`
	Mine    []byte    `json:"mine"`
	Theirs  []byte    `json:"theirs"`
}

// Key is another for other texts.
func (s *Sides) Key() string {
	sum := sha256.New()
	for _, part := range [][]byte{[]byte(s.Name), s.Base, s.Mine, s.Theirs} {
		fmt.Fprintf(sum, "%d\n", len(part))
		sum.Write(part)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

func (s *Sides) file() string { return worlddir.SidesName + "/" + s.Key() + ".json" }

// Keep replaces a file of a world's local state, or removes it where there is no data.
type Keep func(dir *worlddir.Dir, name string, data []byte) error

// Record keeps the sides of a file. Texts that are too large for that are not kept.
func Record(dir *worlddir.Dir, keep Keep, s *Sides) error {
	if len(s.Base)+len(s.Mine)+len(s.Theirs) > maxTexts {
		return nil
	}
	s.Version, s.Time = version, time.Now().UTC()
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	kept, err := dir.KeptSides()
	if err != nil {
		return err
	}
	size := int64(len(data))
	for _, k := range kept {
		if k.Name == s.file() {
			return nil
		}
		size += k.Size
	}
	for ; size > maxTotal; kept = kept[1:] {
		if err := keep(dir, kept[0].Name, nil); err != nil {
			return err
		}
		size -= kept[0].Size
	}
	return keep(dir, s.file(), data)
}

// Forget removes what is kept of a file.
func Forget(dir *worlddir.Dir, keep Keep, s *Sides) error { return keep(dir, s.file(), nil) }

// Read returns all that is kept, the oldest first. What cannot be read is named, and
// removed. What a newer worldfs has kept is left alone.
func Read(dir *worlddir.Dir, keep Keep) (all []*Sides, damaged []string, err error) {
	kept, err := dir.KeptSides()
	if err != nil {
		return nil, nil, err
	}
	for _, k := range kept {
		data, err := dir.Kept(k.Name)
		if data == nil && err == nil {
			continue // another call has removed it
		}
		var s Sides
		if err == nil {
			err = json.Unmarshal(data, &s)
		}
		if err == nil && s.Version > version {
			continue
		}
		if err == nil && s.file() != k.Name {
			err = errors.New("its name is that of other texts")
		}
		if err != nil {
			damaged = append(damaged, fmt.Sprintf(".worldfs/%s: %v", k.Name, err))
			if err := keep(dir, k.Name, nil); err != nil {
				return nil, damaged, err
			}
			continue
		}
		all = append(all, &s)
	}
	return all, damaged, nil
}

// Beside returns the sides that svn has put beside the files of a directory like entities/.
func Beside(dir string) (all []*Sides, err error) {
	found, err := leftovers.Find(dir)
	if err != nil {
		return nil, err
	}
	for _, files := range found {
		s, err := read(dir, files)
		if err != nil {
			return nil, err
		}
		if s != nil {
			all = append(all, s)
		}
	}
	return all, nil
}

// read reads the sides of one file, nil where they are not all there: svn takes the names
// with empty files, and has the texts come in their places then.
func read(dir string, files []leftovers.File) (*Sides, error) {
	texts := sidesOf(files)
	if texts == nil {
		return nil, nil
	}
	rel, err := filepath.Rel(dir, strings.TrimSuffix(texts[1].Path, "."+texts[1].Suffix))
	if err != nil {
		return nil, err
	}
	s := &Sides{Name: path.Join(worlddir.EntitiesName, filepath.ToSlash(rel)), Merge: texts[1].Suffix == "working"}
	for i, text := range []*[]byte{&s.Base, &s.Mine, &s.Theirs} {
		if *text, err = disk.ReadFile(texts[i].Path, maxTexts); err != nil || len(*text) == 0 {
			return nil, nil // svn has removed it since, or it is too large
		}
	}
	return s, nil
}

// sidesOf returns which files have the base, mine and theirs. After an update the base is
// of the older revision.
func sidesOf(files []leftovers.File) []leftovers.File {
	var mine, left, right, older, newer *leftovers.File
	for i := range files {
		f := &files[i]
		number, of := f.Revision()
		switch {
		case f.Suffix == "mine" || f.Suffix == "working":
			mine = f
		case strings.HasPrefix(f.Suffix, "merge-left."):
			left = f
		case strings.HasPrefix(f.Suffix, "merge-right."):
			right = f
		case !of:
		case older == nil:
			older = f
		default:
			if newer = f; number < revision(older) {
				older, newer = newer, older
			}
		}
	}
	if mine != nil && mine.Suffix == "mine" {
		left, right = older, newer
	}
	if mine == nil || left == nil || right == nil {
		return nil
	}
	return []leftovers.File{*left, *mine, *right}
}

func revision(f *leftovers.File) int {
	n, _ := f.Revision()
	return n
}

// RecordBeside keeps what svn has put beside the files of entities/, or of a directory
// like it.
func RecordBeside(world *worlddir.Dir, dir string, keep Keep) error {
	all, err := Beside(dir)
	if err != nil {
		return err
	}
	for _, s := range all {
		if err := Record(world, keep, s); err != nil {
			return err
		}
	}
	return nil
}
