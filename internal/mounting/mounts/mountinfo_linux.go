package mounts

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
)

// List returns all mounts, in the kernel's order: of those on one directory the last
// is on top.
func List() ([]Mount, error) {
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return nil, fmt.Errorf("list mounts: %w", err)
	}
	defer f.Close()
	all, err := parse(f)
	if err != nil {
		return nil, fmt.Errorf("list mounts: %w", err)
	}
	return all, nil
}

const maxLine = 1 << 20 // bytes

func parse(mountinfo io.Reader) (all []Mount, err error) {
	lines := bufio.NewScanner(mountinfo)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		// 36 35 98:0 /root /mount/point opts shared:1 - type source opts
		before, after, ok := strings.Cut(lines.Text(), " - ")
		fields := strings.Fields(before)
		if !ok || len(fields) < 5 {
			continue
		}
		kind, _, _ := strings.Cut(after, " ")
		all = append(all, Mount{Dir: unescape(fields[4]), Device: fields[2], Type: kind})
	}
	return all, lines.Err()
}

var escapes = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)

func unescape(s string) string { return escapes.Replace(s) }

// At returns the mount on top of a directory, the zero Mount if none is.
func At(dir string) (top Mount) {
	all, _ := List() // without /proc nothing is known to be mounted
	for _, m := range all {
		if m.Dir == dir {
			top = m
		}
	}
	return top
}

// Mounted reports whether anything is mounted on a directory.
func Mounted(dir string) bool { return At(dir) != Mount{} }

// Worlds returns where worlds are mounted.
func Worlds() (dirs []string, err error) {
	all, err := List()
	for _, m := range all {
		if m.Type == Type {
			dirs = append(dirs, m.Dir)
		}
	}
	return dirs, err
}
