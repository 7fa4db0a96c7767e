// Package layout says where in entities/ an entity's file lies: directly in
// it, or in a shard, a directory named for the last digits of the ID.
//
//	none        entities/6555.entity_text
//	last-digit  entities/5/6555.entity_text
//	tens        entities/55/6555.entity_text
//	hundreds    entities/555/6555.entity_text
//
// The last digits, since the leading ones are unevenly spread, and since a
// person can still find a file by its number. A shard's name has all its
// digits: entity 7 lies in 7, 07 or 007.
package layout

import (
	"fmt"
	"path"
	"strings"

	"github.com/worldfs/worldfs/entity"
)

// Suffix ends the names of entities' files: 6555.entity_text.
const Suffix = ".entity_text"

// Prefix begins the name of each entity's file, from the world's root.
const Prefix = "entities/"

// FileName returns the name of an entity's file.
func FileName(id entity.ID) string { return id.String() + Suffix }

// ParseFileName returns the entity whose file would have that name, in the
// right place. Any other name is an ordinary file's.
func ParseFileName(name string) (entity.ID, bool) {
	number, ok := strings.CutSuffix(name, Suffix)
	if !ok {
		return 0, false
	}
	id, err := entity.ParseID(number)
	return id, err == nil
}

// Layout is how many of an ID's last digits name the shard of its file.
type Layout uint8

// The layouts.
const (
	None Layout = iota
	LastDigit
	Tens
	Hundreds
)

var names = [...]string{"none", "last-digit", "tens", "hundreds"}

// Parse returns the layout of that name.
func Parse(name string) (Layout, error) {
	for i, n := range names {
		if n == name {
			return Layout(i), nil
		}
	}
	return None, fmt.Errorf("%q is not one of %s", name, strings.Join(names[:], ", "))
}

func (l Layout) String() string { return names[l] }

// Sharded reports whether entities' files lie in shards.
func (l Layout) Sharded() bool { return l != None }

// Shards returns how many shards there can be: 0, 10, 100 or 1000.
func (l Layout) Shards() int {
	if l == None {
		return 0
	}
	return int(l.modulus())
}

func (l Layout) modulus() entity.ID {
	m := entity.ID(1)
	for range l {
		m *= 10
	}
	return m
}

// Shard returns the number of the shard that an entity's file lies in, 0 where
// there are none.
func (l Layout) Shard(id entity.ID) int { return int(id % l.modulus()) }

// ShardName returns the name of a shard's directory.
func (l Layout) ShardName(shard int) string { return fmt.Sprintf("%0*d", int(l), shard) }

// ParseShard returns the number of the shard whose directory has that name.
func (l Layout) ParseShard(name string) (shard int, ok bool) {
	if l == None || len(name) != int(l) {
		return 0, false
	}
	for _, c := range []byte(name) {
		if c < '0' || c > '9' {
			return 0, false
		}
		shard = 10*shard + int(c-'0')
	}
	return shard, true
}

// Path returns where in entities/ an entity's file lies, with slashes.
func (l Layout) Path(id entity.ID) string {
	if l == None {
		return FileName(id)
	}
	return l.ShardName(l.Shard(id)) + "/" + FileName(id)
}

// OtherPaths returns where an entity's file lies in the other layouts.
func (l Layout) OtherPaths(id entity.ID) (paths []string) {
	for other := None; other <= Hundreds; other++ {
		if other != l {
			paths = append(paths, other.Path(id))
		}
	}
	return paths
}

// Places returns where in a world an entity's file may lie, in whatever layout.
func Places(id entity.ID) []string {
	names := []string{Prefix + None.Path(id)}
	for _, path := range None.OtherPaths(id) {
		names = append(names, Prefix+path)
	}
	return names
}

// IsIn reports whether an entity's file lies in the directory of that name in
// entities/, "" being entities/ itself.
func (l Layout) IsIn(dir string, id entity.ID) bool {
	if l == None {
		return dir == ""
	}
	shard, ok := l.ParseShard(dir)
	return ok && shard == l.Shard(id)
}

// Entity returns the entity whose file lies at a path in entities/, with
// slashes.
func (l Layout) Entity(path string) (entity.ID, bool) {
	dir := ""
	if l != None {
		dir, path, _ = strings.Cut(path, "/")
	}
	id, ok := ParseFileName(path)
	if !ok || !l.IsIn(dir, id) {
		return 0, false
	}
	return id, true
}

// Misplaced says that a file, named from the world's root, is no entity's
// although it has the name of one's.
func (l Layout) Misplaced(id entity.ID, file string) entity.Finding {
	return entity.Finding{
		Code: entity.CodeMisplaced, ID: id, File: file,
		Message: fmt.Sprintf("%s is not read: with shard = %q in world.toml this entity's file is entities/%s; move it there, or delete it",
			file, l, l.Path(id)),
	}
}

// MisplacedBeside is Misplaced where the entity's own file is there as well.
func (l Layout) MisplacedBeside(id entity.ID, file string) entity.Finding {
	return entity.Finding{
		Code: entity.CodeMisplaced, ID: id, Other: id, File: file,
		Message: fmt.Sprintf("%s is not read: with shard = %q in world.toml this entity's file is entities/%s, which is there as well; "+
			"put there what only this one has, and delete it", file, l, l.Path(id)),
	}
}

// Of returns the layout in which an entity's file would lie at a path in
// entities/, with slashes.
func Of(path string) (Layout, entity.ID, bool) {
	l := Layout(max(strings.IndexByte(path, '/'), 0))
	if int(l) >= len(names) {
		return None, 0, false
	}
	id, ok := l.Entity(path)
	return l, id, ok
}

// EntityOf returns the entity whose file has a name, from the world's root, in whatever
// layout.
func EntityOf(name string) (entity.ID, bool) {
	file, ok := strings.CutPrefix(name, Prefix)
	if !ok {
		return 0, false
	}
	_, id, ok := Of(file)
	return id, ok
}

// StrayOf returns the entity whose file's name a file in entities/ has, if its place is there
// in no layout. The name is from the world's root.
func StrayOf(name string) (entity.ID, bool) {
	file, inside := strings.CutPrefix(name, Prefix)
	if _, _, placed := Of(file); !inside || placed {
		return 0, false
	}
	_, id, ok := Of(path.Base(file))
	return id, ok
}

// Name returns the name of an entity's file, from the world's root.
func (l Layout) Name(id entity.ID) string { return Prefix + l.Path(id) }

// IsShard reports whether a directory's name is a shard's in some layout.
func IsShard(name string) bool {
	for l := LastDigit; l <= Hundreds; l++ {
		if _, ok := l.ParseShard(name); ok {
			return true
		}
	}
	return false
}
