package vcs

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/worldfs/worldfs/internal/support/tool"
)

// Versioned returns the files that svn has, in directories or by their names, and is not
// to delete.
func (w *SVNCopy) Versioned(names ...string) (files []string, err error) {
	args := []string{"--xml", "--depth", "infinity"}
	for _, name := range names {
		args = append(args, at(name))
	}
	out, err := w.svn(context.Background(), w.dir, "info", args...).Text()
	if err != nil && !onlyMissing(err) {
		return nil, w.locked("find what svn has", err)
	}
	err = eachNode(bytes.NewReader(out), func(n node) error {
		name, err := w.relative(n.path)
		if err == nil && n.kind == "file" && n.schedule != "delete" {
			files = append(files, filepath.ToSlash(name))
		}
		return err
	})
	return files, err
}

// Property returns the values that a property has, by the names of files and of directories
// and all that is in them; of the directory "." alone. base says that the values are to be
// those of BASE.
func (w *SVNCopy) Property(property string, base bool, names ...string) (map[string]string, error) {
	depth := "infinity"
	if slices.Equal(names, []string{"."}) {
		depth = "empty"
	}
	args := []string{property, "--xml", "--depth", depth}
	if base {
		args = append(args, "-r", Base)
	}
	for _, name := range names {
		args = append(args, at(name))
	}
	out, err := w.svn(context.Background(), w.dir, "propget", args...).Text()
	if err != nil && !onlyMissing(err) && !tool.Says(err, svnNoProperty) {
		return nil, w.locked("read "+property, err)
	}
	var read struct {
		Targets []struct {
			Path     string `xml:"path,attr"`
			Property string `xml:"property"`
		} `xml:"target"`
	}
	if len(out) > 0 {
		if err := xml.Unmarshal(out, &read); err != nil {
			return nil, fmt.Errorf("svn propget printed what cannot be read: %w", err)
		}
	}
	values := make(map[string]string)
	for _, t := range read.Targets {
		name, err := w.relative(t.Path)
		if err != nil {
			return nil, err
		}
		values[filepath.ToSlash(name)] = t.Property
	}
	return values, nil
}

// svnNoProperty is what svn propget says where a name that it was given has none.
const svnNoProperty = "W200017"

// SetProperty has files and directories have a property. Nothing is committed.
func (w *SVNCopy) SetProperty(property, value string, names []string) error {
	return w.each("set "+property, names, "propset", "--quiet", property, value)
}

// mostArguments is how many names a command line has that cannot name a list of them.
const mostArguments = 500

// RemoveProperty has them have none.
func (w *SVNCopy) RemoveProperty(property string, names []string) error {
	for some := range slices.Chunk(names, mostArguments) {
		args := []string{"--quiet", property}
		for _, name := range some {
			args = append(args, at(name))
		}
		if _, err := w.svn(context.Background(), w.dir, "propdel", args...).Text(); err != nil {
			return w.locked("take "+property+" away", err)
		}
	}
	return nil
}
