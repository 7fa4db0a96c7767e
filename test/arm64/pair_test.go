package arm64

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// pair runs each command with the program for this processor and with that for the other, in
// two directories that begin alike.
type pair struct {
	*testing.T
	sides [2]*side
	own   *side // the first of them
}

// side is one program, and where it is run.
type side struct {
	*testing.T
	program []string
	home    string
	root    string
	dir     string // below it
}

// others are, by processor, the other one and what runs programs for it.
var others = map[string][2]string{"amd64": {"arm64", "qemu-aarch64"}, "arm64": {"amd64", "qemu-x86_64"}}

func newPair(t *testing.T) *pair {
	other, ok := others[runtime.GOARCH]
	if !ok {
		t.Skip("neither amd64 nor arm64")
	}
	qemu, err := exec.LookPath(other[1])
	require.NoError(t, err, "scripts/setup.sh arm64 installs it")
	root := t.TempDir()
	p := &pair{T: t}
	for i, arch := range []string{runtime.GOARCH, other[0]} {
		s := &side{T: t, home: root, root: filepath.Join(root, arch), dir: filepath.Join(root, arch), program: []string{filepath.Join(root, "worldfs-"+arch)}}
		build(t, arch, s.program[0])
		require.NoError(t, os.MkdirAll(s.dir, 0o755))
		if i > 0 {
			s.program = append([]string{qemu}, s.program...)
		}
		require.Contains(t, s.run("version"), "linux/"+arch)
		p.sides[i] = s
	}
	p.own = p.sides[0]
	return p
}

// build builds worldfs for a processor.
func build(t *testing.T, arch, to string) {
	cmd := exec.Command("go", "build", "-o", to, "../../cmd/worldfs")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch)
	said, err := cmd.CombinedOutput()
	require.NoError(t, err, string(said))
}

// on returns the pair for a test of its own, in directories of its own.
func (p *pair) on(t *testing.T, name string) *pair {
	q := p.in(name)
	q.T = t
	for _, s := range q.sides {
		s.T = t
		require.NoError(t, os.MkdirAll(s.dir, 0o755))
	}
	return q
}

// in returns the pair with other working directories.
func (p *pair) in(name string) *pair {
	q := *p
	for i, s := range p.sides {
		other := *s
		other.dir = filepath.Join(s.dir, name)
		q.sides[i] = &other
	}
	q.own = q.sides[0]
	return &q
}

// both runs a command on both sides. It must succeed, and print the same.
func (p *pair) both(args ...string) {
	p.Helper()
	said, status := p.any(args...)
	require.Zero(p, status, "worldfs %s\n%s", strings.Join(args, " "), said)
}

// any is both of what need not succeed.
func (p *pair) any(args ...string) (said string, status int) {
	p.Helper()
	said, status = p.own.try(args...)
	other, otherStatus := p.sides[1].try(args...)
	require.Equal(p, status, otherStatus, "worldfs %s\n%s\n%s", strings.Join(args, " "), said, other)
	require.Equal(p, said, other, "worldfs %s", strings.Join(args, " "))
	return said, status
}

// write writes a file on both sides.
func (p *pair) write(name, text string) {
	p.Helper()
	for _, s := range p.sides {
		s.write(name, text)
	}
}

// append adds to a file on both sides.
func (p *pair) append(name, text string) {
	p.Helper()
	for _, s := range p.sides {
		s.write(name, s.read(name)+text)
	}
}

// share takes a world of this side's to both, without what only this machine knows of it.
func (p *pair) share(from, to string) {
	p.Helper()
	require.NoError(p, os.RemoveAll(filepath.Join(p.own.dir, from, ".worldfs")))
	for _, s := range p.sides {
		require.NoError(p, os.CopyFS(filepath.Join(s.dir, to), os.DirFS(filepath.Join(p.own.dir, from))))
	}
}

// same compares files, and all that is in directories.
func (p *pair) same(names ...string) {
	p.Helper()
	for _, name := range names {
		files := p.own.names(name)
		require.NotEmpty(p, files, name)
		require.Equal(p, files, p.sides[1].names(name), name)
		for _, file := range files {
			file = filepath.Join(name, file)
			if p.own.read(file) != p.sides[1].read(file) {
				require.Equal(p, strings.ToValidUTF8(p.own.read(file), "?"), strings.ToValidUTF8(p.sides[1].read(file), "?"), file)
				require.Fail(p, file+" differs")
			}
		}
	}
}

// run runs worldfs, which must succeed, and returns what it prints.
func (s *side) run(args ...string) string {
	s.Helper()
	said, status := s.try(args...)
	require.Zero(s, status, "worldfs %s\n%s", strings.Join(args, " "), said)
	return said
}

func (s *side) try(args ...string) (said string, status int) {
	s.Helper()
	command := slices.Concat(s.program, args)
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Env = s.dir, append(os.Environ(), "HOME="+s.home, "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(s, err)
	}
	return strings.ReplaceAll(string(out), s.root, "ROOT"), cmd.ProcessState.ExitCode()
}

func (s *side) read(name string) string {
	s.Helper()
	data, err := os.ReadFile(filepath.Join(s.dir, name))
	require.NoError(s, err)
	return string(data)
}

func (s *side) write(name, text string) {
	s.Helper()
	require.NoError(s, os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o644))
}

// names returns the files in a directory, or "." for a file.
func (s *side) names(name string) (files []string) {
	s.Helper()
	root := filepath.Join(s.dir, name)
	require.NoError(s, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			path, err = filepath.Rel(root, path)
			files = append(files, path)
		}
		return err
	}))
	return files
}

const module = "github.com/worldfs/worldfs/"

var (
	symbol = regexp.MustCompile(`^TEXT (\S+)\(SB\)`)
	fusing = regexp.MustCompile(`\tFN?M(ADD|SUB)[SD] `)
)

// fusedIn returns which functions of this module round a product and a sum as one, in a program
// for arm64.
func fusedIn(t *testing.T, program string) (fused []string) {
	cmd := exec.Command("go", "tool", "objdump", "-s", "^"+regexp.QuoteMeta(module), program)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	function := ""
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if m := symbol.FindStringSubmatch(lines.Text()); m != nil {
			function = strings.TrimPrefix(m[1], module)
		}
		if fusing.MatchString(lines.Text()) {
			fused = append(fused, function)
		}
	}
	require.NoError(t, lines.Err())
	require.NoError(t, cmd.Wait())
	require.NotEmpty(t, function, "nothing of %s in the program", module)
	slices.Sort(fused)
	return slices.Compact(fused)
}
