package typefile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/expression"
	"github.com/worldfs/worldfs/interchange"
	"github.com/worldfs/worldfs/internal/storage/disk"
)

// ReadDir reads all types files of a directory in the order of their names. One
// that cannot be read or does not parse, or declares a type that an earlier one
// declares, is a problem and counts for nothing; the others do. One with conflict
// markers is a problem with Conflict set, and counts as our side; a condition that
// asks for more than an entity has is one with Condition set. A directory that is
// not there holds no types.
func ReadDir(dir string) (types *entity.Types, problems []error, err error) {
	d, err := readDir(dir)
	if err != nil {
		return nil, nil, err
	}
	types = &entity.Types{}
	for _, f := range d.files {
		types.Put(f.declares)
	}
	return types, d.problems, nil
}

// directory is what a directory of types files holds.
type directory struct {
	files    []*file // those that count
	problems []error
	broken   map[string]error // by the file's name in lower case
	taken    map[string]bool  // names of all files, in lower case
}

// file is one types file.
type file struct {
	name     string
	declares *entity.Type
	data     []byte
	conflict *Error // nil: it has no conflict markers
}

func readDir(dir string) (*directory, error) {
	d := &directory{broken: make(map[string]error), taken: make(map[string]bool)}
	if err := CheckDir(dir); err != nil {
		d.problems = append(d.problems, err)
		return d, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read types: %w", err)
	}
	declared := make(map[string]string)
	for _, e := range entries {
		d.taken[strings.ToLower(e.Name())] = true
		if !IsFileName(e.Name()) {
			continue
		}
		f, err := readFile(filepath.Join(dir, e.Name()))
		if err == nil && declared[f.declares.Name] != "" {
			err = &Error{File: filepath.Join(dir, e.Name()), Reason: fmt.Sprintf(
				"the type %q is declared in %s already; remove it from one of them", f.declares.Name, declared[f.declares.Name])}
		}
		if err != nil {
			d.problems = append(d.problems, err)
			d.broken[strings.ToLower(e.Name())] = err
			continue
		}
		if f.conflict != nil {
			d.problems = append(d.problems, f.conflict)
		}
		d.problems = append(d.problems, conditionProblems(f, filepath.Join(dir, e.Name()))...)
		declared[f.declares.Name] = e.Name()
		d.files = append(d.files, f)
	}
	return d, nil
}

func readFile(path string) (*file, error) {
	data, err := readLimited(path)
	if err != nil {
		return nil, err
	}
	t, conflict, err := Read(data, path)
	if err != nil {
		return nil, err
	}
	return &file{name: filepath.Base(path), declares: t, data: data, conflict: conflict}, nil
}

// conditionProblems returns what is wrong with the conditions of a type that
// counts.
func conditionProblems(f *file, path string) (problems []error) {
	for _, p := range expression.CheckConditions(f.declares) {
		problems = append(problems, &Error{File: path, Field: p.Field, Reason: p.Reason, Condition: true})
	}
	return problems
}

// readLimited reads a file unless it is none or larger than Parse takes: of that
// it reads a byte more than allowed, and Parse says that it is too large.
func readLimited(path string) ([]byte, error) {
	data, err := disk.ReadFile(path, MaxSize)
	switch {
	case errors.Is(err, disk.ErrNotOrdinary):
		return nil, &Error{File: path, Reason: "it is no regular file, and symlinks are not followed"}
	case err != nil:
		return nil, fmt.Errorf("read types file: %w", err)
	}
	return data, nil
}

// CheckDir returns an error where there is something at dir that is no directory
// of types: a symlink leads out of the world, and would be written through.
func CheckDir(dir string) error {
	err := disk.CheckDirectory(dir)
	if errors.Is(err, disk.ErrNotOrdinary) {
		return &Error{File: dir, Reason: "it is no directory, and symlinks are not followed; put a directory in its place"}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// WriteDir makes the directory declare the types given, besides those that it
// declares already. A file is written only if it says something else, each in
// one step, with its comments kept; the names of the files written are
// returned. A type stays in the file that declares it. Before anything is
// written it is known that all can be: a file in the way that does not parse is
// an error.
func WriteDir(dir string, types []*entity.Type) (changed []string, err error) {
	if err := CheckDir(dir); err != nil {
		return nil, err
	}
	d, err := readDir(dir)
	if err != nil {
		return nil, err
	}
	var files []*file
	for _, t := range sortedByName(types) {
		f, err := d.plan(dir, t)
		if err != nil {
			return nil, err
		}
		if f != nil {
			files = append(files, f)
		}
	}
	if len(files) == 0 {
		return nil, nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	disk := disk.Disk{}
	for _, f := range files {
		path := filepath.Join(dir, f.name)
		if err := disk.WriteAtomic("types file "+f.name, path, f.data, modeOf(path)); err != nil {
			return changed, err
		}
		changed = append(changed, f.name)
	}
	return changed, nil
}

// FilesOf returns the paths of the files in the directory that declare the types named, and of
// those that have such a type's name and cannot be read.
func FilesOf(dir string, names []string) (paths []string, err error) {
	if err := CheckDir(dir); err != nil {
		return nil, err
	}
	d, err := readDir(dir)
	if err != nil {
		return nil, err
	}
	for _, f := range d.files {
		if slices.Contains(names, f.declares.Name) {
			paths = append(paths, filepath.Join(dir, f.name))
		}
	}
	for _, name := range names {
		if file := FileName(name); d.broken[strings.ToLower(file)] != nil {
			paths = append(paths, filepath.Join(dir, file))
		}
	}
	return paths, nil
}

// modeOf returns the mode that a file is to keep, or have if it is new.
func modeOf(path string) fs.FileMode {
	if info, err := os.Stat(path); err == nil {
		return info.Mode().Perm()
	}
	return 0o644
}

func sortedByName(types []*entity.Type) []*entity.Type {
	types = slices.Clone(types)
	slices.SortStableFunc(types, func(a, b *entity.Type) int { return strings.Compare(a.Name, b.Name) })
	return types
}

// plan returns the file that must be written for t, nil if none must.
func (d *directory) plan(dir string, t *entity.Type) (*file, error) {
	i := slices.IndexFunc(d.files, func(f *file) bool { return f.declares.Name == t.Name })
	if i < 0 {
		return d.create(t)
	}
	have := d.files[i]
	if have.conflict != nil && bytes.Equal(interchange.AppendType(nil, have.declares), interchange.AppendType(nil, t)) {
		return nil, nil // it stays marked
	}
	data, err := update(have.data, t, filepath.Join(dir, have.name))
	if err != nil || bytes.Equal(data, have.data) {
		return nil, err
	}
	return &file{name: have.name, declares: t, data: data}, checkWritten(t, data)
}

// create plans a new file. Its name is not one that differs from another's in
// the case of letters only: not every file system tells them apart.
func (d *directory) create(t *entity.Type) (*file, error) {
	name := FileName(t.Name)
	if d.taken[strings.ToLower(name)] {
		if err := d.broken[strings.ToLower(name)]; err != nil {
			return nil, fmt.Errorf("the type %q has to be written where there is a file that cannot be read: %w", t.Name, err)
		}
		name = hashedName(t.Name)
	}
	if d.taken[strings.ToLower(name)] {
		return nil, &Error{File: name, Reason: fmt.Sprintf("the file is in the way of the type %q; move it away", t.Name)}
	}
	d.taken[strings.ToLower(name)] = true
	data := Format(t)
	return &file{name: name, declares: t, data: data}, checkWritten(t, data)
}

// checkWritten makes sure that a file will be read as what it was written for.
func checkWritten(t *entity.Type, data []byte) error {
	back, err := Parse(data, FileName(t.Name))
	if err != nil {
		return fmt.Errorf("write type %q: it would not be read back: %w", t.Name, err)
	}
	if !bytes.Equal(interchange.AppendType(nil, back), interchange.AppendType(nil, t)) {
		return fmt.Errorf("write type %q: it would be read back as something else", t.Name)
	}
	return nil
}

// MarkDir marks the file that declares a type, in a directory of types files,
// with what is different in the other declaration of it, nil for none (see Mark).
// It reports false, and does nothing, where the other is the one in force, and true
// where the file has conflict markers already.
func MarkDir(dir, name string, other *entity.Type, names [2]string) (marked bool, err error) {
	d, err := readDir(dir)
	if err != nil {
		return false, err
	}
	i := slices.IndexFunc(d.files, func(f *file) bool { return f.declares.Name == name })
	switch {
	case i < 0 && other == nil:
		return false, nil
	case i < 0:
		return false, fmt.Errorf("mark the conflict of type %q: no file in %s declares it", name, dir)
	case d.files[i].conflict != nil:
		return true, nil
	}
	f := d.files[i]
	data, err := MarkType(f.data, f.declares, other, names)
	if err != nil || bytes.Equal(data, f.data) {
		return false, err
	}
	path := filepath.Join(dir, f.name)
	disk := disk.Disk{}
	return true, disk.WriteAtomic("types file "+f.name, path, data, modeOf(path))
}
