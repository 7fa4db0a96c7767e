package engine_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// warnings are errors in all that is compiled here.
var warnings = []string{"-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"}

// sanitizers end the program at the first read outside of anything, and at the first
// behaviour that C does not define.
var sanitizers = []string{"-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"}

// compilers are what the headers have to be good for, and what installs them.
var compilers = map[string][]string{
	"gcc":     {"gcc", "-std=c99"},
	"clang":   {"clang", "-std=c99"},
	"g++":     {"g++", "-std=c++17"},
	"clang++": {"clang++", "-std=c++17"},
}

// compiler returns how a compiler is called. Where there is none the test is skipped;
// with CI set it fails.
func compiler(t testing.TB, name string) []string {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is not installed: scripts/setup.sh test", name)
		}
		t.Skipf("%s is not installed: scripts/setup.sh test", name)
	}
	return append(append([]string{}, compilers[name]...), warnings...)
}

// build compiles a source to a program and returns its path.
func build(t testing.TB, name, source string, flags ...string) string {
	t.Helper()
	call := compiler(t, name)
	program := filepath.Join(t.TempDir(), filepath.Base(source)+"-"+name)
	call = append(append(call, flags...), "-o", program, source)
	out, err := exec.Command(call[0], call[1:]...).CombinedOutput()
	require.NoError(t, err, "%v\n%s", call, out)
	return program
}

// TestTheHeadersCompileAlone has each header be complete, in C and in C++, with its
// implementation and without.
func TestTheHeadersCompileAlone(t *testing.T) {
	headers, err := filepath.Glob("*.h")
	require.NoError(t, err)
	require.NotEmpty(t, headers)
	for name := range compilers {
		t.Run(name, func(t *testing.T) {
			for _, define := range []string{"", "#define WORLDFS_IMPLEMENTATION\n"} {
				for _, header := range headers {
					compileText(t, name, define+"#include \""+header+"\"\n#include \""+header+"\"\nint main(void) { return 0; }\n")
				}
			}
		})
	}
}

// compileText compiles a program that stands in a string.
func compileText(t *testing.T, name, text string) {
	t.Helper()
	extension := ".c"
	if name == "g++" || name == "clang++" {
		extension = ".cpp"
	}
	source := filepath.Join(t.TempDir(), "text"+extension)
	require.NoError(t, os.WriteFile(source, []byte(text), 0o644))
	build(t, name, source, "-I.")
}
