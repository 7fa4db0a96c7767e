package cli

import (
	"fmt"

	"github.com/worldfs/worldfs/internal/mounting/daemon"
)

// ExitStatus is the part of a command's help that says what its exit status
// means; problems is when it is 1, "" for never.
func ExitStatus(problems string) string {
	text := "\n\nEXIT STATUS\n  0  done\n"
	if problems != "" {
		text += "  1  " + problems + "\n"
	}
	return text + "  2  the call was wrong\n  3  it could not be done"
}

// Usagef returns an error of usage: the command line is wrong.
func Usagef(format string, args ...any) error {
	return &daemon.Failure{Message: fmt.Sprintf(format, args...), Exit: daemon.ExitUsage}
}

// Problemsf is an error of the world's.
func Problemsf(format string, args ...any) error {
	return &daemon.Failure{Message: fmt.Sprintf(format, args...), Exit: daemon.ExitProblems}
}

// Ended is the error of a command whose exit status is that of a program which it ran. The
// program has said what there is to say: nothing is printed.
type Ended struct{ Status int }

func (e *Ended) Error() string { return fmt.Sprintf("exit status %d", e.Status) }
