package test

import (
	"bufio"
	"os"
	"os/exec"
	"strings"

	"github.com/stretchr/testify/require"
)

// shell is a shell that runs lines, one after the other, until it leaves.
type shell struct {
	b    *bench
	cmd  *exec.Cmd
	to   *os.File
	from *bufio.Reader
}

// shell starts one, by a command where that is named. It stands nowhere near the mount.
func (b *bench) shell(command ...string) *shell {
	b.Helper()
	if len(command) == 0 {
		command = []string{"bash"} // which says what went wrong, and not only that something did
	}
	in, to, err := os.Pipe()
	require.NoError(b, err)
	from, out, err := os.Pipe()
	require.NoError(b, err)
	s := &shell{b: b, cmd: exec.Command(command[0], command[1:]...), to: to, from: bufio.NewReader(from)}
	s.cmd.Dir, s.cmd.Env = "/", b.env
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = in, out, out
	require.NoError(b, s.cmd.Start())
	require.NoError(b, in.Close())
	require.NoError(b, out.Close())
	b.Cleanup(s.leaves)
	b.Cleanup(func() { from.Close() })
	return s
}

// leaves has the shell end.
func (s *shell) leaves() {
	if s.cmd.ProcessState == nil {
		s.to.Close()
		_ = s.cmd.Wait() // the status is its last command's
	}
}

// does runs a line and returns what it printed.
func (s *shell) does(line string) string {
	s.b.Helper()
	s.begins(line)
	return s.says()
}

// begins has a line run.
func (s *shell) begins(line string) {
	s.b.Helper()
	_, err := s.to.WriteString(line + "\necho; echo -- done\n")
	require.NoError(s.b, err)
}

// says returns what a line printed, when it has ended.
func (s *shell) says() string {
	s.b.Helper()
	var said strings.Builder
	for {
		line, err := s.from.ReadString('\n')
		require.NoError(s.b, err, said.String())
		if line == "-- done\n" {
			return strings.TrimSpace(said.String())
		}
		said.WriteString(line)
	}
}
