package engine_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// warnings are errors in all that is compiled here.
var warnings = []string{"-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"}

// sanitizers end the program at the first read outside of anything, and at the first
// behaviour that C does not define.
var sanitizers = []string{"-g", "-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"}

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

// programs are those that were built in this process, by how; they lie in scratch.
var (
	programs = make(map[string]string)
	scratch  string
)

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "worldfs-engine-"); err != nil {
		panic(err)
	}
	status := m.Run()
	os.RemoveAll(scratch)
	os.Exit(status)
}

// build compiles a source to a program, once, and returns its path.
func build(t testing.TB, name, source string, flags ...string) string {
	t.Helper()
	call := append(compiler(t, name), flags...)
	key := strings.Join(append(call, source), " ")
	if program, ok := programs[key]; ok {
		return program
	}
	program := filepath.Join(scratch, fmt.Sprintf("%d-%s", len(programs), filepath.Base(source)))
	call = append(call, "-o", program, source, "-lm")
	out, err := exec.Command(call[0], call[1:]...).CombinedOutput()
	require.NoError(t, err, "%v\n%s", call, out)
	programs[key] = program
	return program
}

// tool builds tools/tool.c under the sanitizers.
func tool(t testing.TB) string { return build(t, "gcc", "tools/tool.c", sanitizers...) }

// TestTheHeadersCompileAlone has each header be complete, in C and in C++, with its
// implementation and without, optimized and not.
func TestTheHeadersCompileAlone(t *testing.T) {
	headers, err := filepath.Glob("*.h")
	require.NoError(t, err)
	require.NotEmpty(t, headers)
	for name := range compilers {
		t.Run(name, func(t *testing.T) {
			for _, define := range []string{"", "#define WORLDFS_IMPLEMENTATION\n"} {
				for _, header := range headers {
					syntax(t, name, define+"#include \""+header+"\"\n#include \""+header+"\"\nint main(void) { return 0; }\n")
				}
			}
			if strings.HasSuffix(name, "++") {
				syntax(t, name, "#include \"worldfs.hpp\"\nint main() { return 0; }\n")
			}
		})
	}
}

// syntax has a compiler look at a program that stands in a string.
func syntax(t *testing.T, name, text string) {
	t.Helper()
	language := "c"
	if strings.HasSuffix(name, "++") {
		language = "c++"
	}
	call := append(compiler(t, name), "-I.", "-fsyntax-only", "-x", language, "-")
	cmd := exec.Command(call[0], call[1:]...)
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%v\n%s\n%s", call, text, out)
}
