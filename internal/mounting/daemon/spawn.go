package daemon

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/worldfs/worldfs/internal/mounting/mounts"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// readyFD is the descriptor on which a started daemon says how it went.
const readyFD = 3

// Start runs this program again with args, apart from the terminal and in a
// session of its own, and returns when the mount is ready. The program calls
// RunStarted. A world that is mounted already is a *MountedError. note is called with
// where a killed daemon's mount is cleared first.
func Start(dir *worlddir.Dir, args []string, note func(string)) (Record, error) {
	client, err := Mounted(dir)
	if err != nil {
		return Record{}, err
	}
	if client != nil {
		return Record{}, &MountedError{client.Record}
	}
	if err := dir.CheckFormat(); err != nil {
		return Record{}, err
	}
	if err := dir.CheckWritable(); err != nil {
		return Record{}, err
	}
	if err := mounts.CheckFUSE(); err != nil {
		return Record{}, err
	}
	if err := dir.EnsureState(); err != nil { // for the log
		return Record{}, err
	}
	if dead, err := readRecord(dir); err == nil { // it does not answer, though its process may be in its last moments
		note(clearedWords(dead)) // the new daemon does it, and could only log it
	}
	if err := spawn(dir, args); err != nil {
		if client, dialErr := dial(dir); dialErr == nil { // another process was faster
			return Record{}, &MountedError{client.Record}
		}
		return Record{}, err
	}
	return readRecord(dir)
}

func spawn(dir *worlddir.Dir, args []string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("start daemon: %w", err)
	}
	log, err := openLog(dir)
	if err != nil {
		return fmt.Errorf("start daemon: %w", err)
	}
	defer log.Close()
	ready, tell, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("start daemon: %w", err)
	}
	defer ready.Close()
	cmd := exec.Command(self, args...)
	cmd.Dir = "/" // so that it keeps no file system busy but its own
	cmd.Stdout, cmd.Stderr = log, log
	cmd.ExtraFiles = []*os.File{tell} // becomes readyFD
	cmd.SysProcAttr = ofItsOwn()
	err = cmd.Start()
	tell.Close()
	if err != nil {
		return fmt.Errorf("start daemon: %w", err)
	}
	return awaitReady(cmd, ready, dir.LogPath())
}

// awaitReady returns when the daemon has said how it went, or has died.
func awaitReady(cmd *exec.Cmd, ready io.Reader, log string) error {
	var outcome Failure
	if err := json.NewDecoder(ready).Decode(&outcome); err != nil {
		state := "ended"
		if err := cmd.Wait(); err != nil {
			state = err.Error()
		}
		return fmt.Errorf("the daemon did not start: %s; %s may say why", state, log)
	}
	if outcome.Exit != ExitDone {
		_ = cmd.Wait() // it has said why it ends
		return &outcome
	}
	return cmd.Process.Release()
}

// RunStarted is Run in the process that Start made.
func RunStarted(dir *worlddir.Dir, o RunOptions) error {
	closeOnExec(readyFD) // fusermount3 must not keep Start waiting
	tell := os.NewFile(readyFD, "ready")
	o.Ready = func() {
		_ = json.NewEncoder(tell).Encode(Failure{Exit: ExitDone})
		tell.Close()
	}
	o.reopenLog = func() error { return reopenLog(func() (*os.File, error) { return openLog(dir) }) }
	err := Run(dir, o)
	if err != nil {
		// After Ready the pipe is closed and this goes nowhere; the log has it.
		_ = json.NewEncoder(tell).Encode(Failure{Message: err.Error(), Exit: Exit(err)})
	}
	return err
}
