package mount

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/internal/mounting/daemon"
)

// The exit statuses of shells for a program that does not start, and what they add to the
// number of the signal that ended one.
const (
	exitCannotRun = 126
	exitNotFound  = 127
	exitSignalled = 128
)

// game is the program that run starts.
type game struct {
	path string
	args []string // from its name on, as they were given
	dir  string   // where it is started

	passed os.Signal // the last that was passed on, which it may have ended before
}

// findGame finds the program, as a shell does.
func findGame(args []string) (*game, error) {
	path, err := exec.LookPath(args[0])
	if err != nil {
		return nil, gameError(args[0], err)
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", args[0], err)
	}
	return &game{path: path, args: args, dir: dir}, nil
}

// gameError is the error, with the status of shells, about a game that does not start.
func gameError(name string, err error) error {
	var cause *exec.Error
	if errors.As(err, &cause) {
		err = cause.Err
	}
	f := &daemon.Failure{Message: fmt.Sprintf("%s cannot be run: %v", name, err), Exit: exitCannotRun}
	switch {
	case errors.Is(err, exec.ErrNotFound):
		f.Exit, f.Message = exitNotFound, name+" is not found: it is no program of the PATH; one in a directory is named by its path, as ./"+strings.TrimPrefix(name, "./")
	case errors.Is(err, fs.ErrNotExist):
		f.Exit, f.Message = exitNotFound, fmt.Sprintf("%s is not found: %v", name, err)
	case errors.Is(err, fs.ErrPermission):
		f.Message = name + " cannot be run: it is a directory, or not executable (chmod +x)"
	}
	return f
}

// run runs the game to its end, on the terminal of cmd and with env, and returns its exit
// status. A terminal sends SIGINT and SIGQUIT to both processes, so that they are the
// game's affair; what is caught and was sent to this process alone is passed on.
func (g *game) run(cmd *cobra.Command, env []string, caught <-chan os.Signal) (int, error) {
	child := &exec.Cmd{Path: g.path, Args: g.args, Env: env, Dir: g.dir,
		Stdin: cmd.InOrStdin(), Stdout: cmd.OutOrStdout(), Stderr: cmd.ErrOrStderr()}
	quits := make(chan os.Signal, 1) // nothing has to be done about one
	signal.Notify(quits, syscall.SIGQUIT)
	defer signal.Stop(quits)
	if err := child.Start(); err != nil {
		return 0, gameError(g.args[0], err)
	}
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	for {
		select {
		case s := <-caught:
			if isPassedOn(s) {
				g.passed = s
				_ = child.Process.Signal(s) // a game that has ended meanwhile needs none
			}
		case err := <-ended:
			return exitStatus(child.ProcessState, err)
		}
	}
}

// exitStatus returns the exit status of a process that was waited for, as a shell does.
func exitStatus(state *os.ProcessState, err error) (int, error) {
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return 0, fmt.Errorf("wait for the game: %w", err)
	}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return exitBySignal(status.Signal()), nil
	}
	return state.ExitCode(), nil
}
