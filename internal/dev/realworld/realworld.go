// Package realworld finds the real worlds that tests and benchmarks read. They
// are no part of the project.
package realworld

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Dir returns the directory that holds worlds/ and merges/: $WORLDFS_DATA, or
// shared/data beside the project. Where there is none the test is skipped;
// with CI set it fails.
func Dir(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("WORLDFS_DATA")
	if dir == "" {
		_, here, _, _ := runtime.Caller(0)
		dir = filepath.Join(filepath.Dir(here), "..", "..", "..", "..", "shared", "data")
	}
	if _, err := os.Stat(filepath.Join(dir, "worlds")); err == nil {
		return dir
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("the real worlds are not at %s; set WORLDFS_DATA", dir)
	}
	t.Skipf("no real worlds at %s; set WORLDFS_DATA to where they are", dir)
	return ""
}

// Worlds returns the paths of the real worlds in the interchange form.
func Worlds(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(Dir(t), "worlds", "*.jsonl.gz"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no worlds in %s: %v", Dir(t), err)
	}
	return paths
}
