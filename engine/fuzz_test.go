package engine_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fuzzRuns is how many inputs each fuzz target tries: WORLDFS_FUZZ_RUNS, or few.
func fuzzRuns() string {
	if n := os.Getenv("WORLDFS_FUZZ_RUNS"); n != "" {
		return n
	}
	return "2000"
}

// TestFuzzing runs each target of fuzz/ by clang's libFuzzer, from the inputs in
// testdata/fuzz on. An input that breaks something is kept there, and so run by every
// test from then on.
func TestFuzzing(t *testing.T) {
	sources, err := filepath.Glob("fuzz/*.c")
	require.NoError(t, err)
	require.NotEmpty(t, sources)
	flags := []string{"-g", "-O1", "-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all"}
	for _, source := range sources {
		name := filepath.Base(source[:len(source)-len(".c")])
		t.Run(name, func(t *testing.T) {
			program := build(t, "clang", source, flags...)
			kept := filepath.Join("testdata", "fuzz", name)
			require.DirExists(t, kept)
			out, err := exec.Command(program, "-runs="+fuzzRuns(), "-max_len=16384", "-timeout=60", "-print_final_stats=1",
				"-artifact_prefix="+kept+"/", t.TempDir(), kept).CombinedOutput()
			require.NoError(t, err, "%s", tail(out))
			t.Log(strings.Join(statistics.FindAllString(string(out), -1), ", "))
		})
	}
}

// statistics are the lines that libFuzzer ends with.
var statistics = regexp.MustCompile(`stat::\w+: *\d+`)

// tail returns the end of what a program printed.
func tail(out []byte) []byte { return out[max(0, len(out)-3000):] }
