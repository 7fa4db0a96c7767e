// Package slashname tells which files lie in which directories by their names alone, which
// have slashes and begin at one directory.
package slashname

import (
	"slices"
	"strings"
)

// In returns those of names, which are in order, that are in a directory, at any depth.
func In(names []string, dir string) []string {
	from, _ := slices.BinarySearch(names, dir+"/")
	to, _ := slices.BinarySearch(names, dir+"0") // 0 is the character after /
	return names[from:to]
}

// IsBelow reports whether a file, or a directory that it lies in, is one of the names.
func IsBelow(name string, names map[string]bool) bool {
	for in := true; in; name, in = Dir(name) {
		if names[name] {
			return true
		}
	}
	return false
}

// Dir returns the directory in which a file lies, and whether its name has one.
func Dir(name string) (dir string, ok bool) {
	i := strings.LastIndexByte(name, '/')
	if i < 0 {
		return "", false
	}
	return name[:i], true
}
