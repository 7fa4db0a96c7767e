// Package asking asks a person on a terminal about the conflicts that a merge left, and
// whether something may be done.
package asking

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/term"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/resolve"
	"github.com/worldfs/worldfs/merge"
)

// IsTerminal reports whether a command's input or output is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Asker asks a person about conflicts, one key each. What was answered is kept at once: a
// call that is killed, or left with q, is gone on with by the next.
type Asker struct {
	Resolution *resolve.Resolution
	In         *os.File // a terminal
	Out        io.Writer

	// Value returns the choice of what a person has typed for the field of a conflict, as
	// an expression.
	Value func(c merge.Conflict, typed string) (resolve.Choice, error)

	undo []func() error // one for each conflict that was asked about, in their order; nil: it was left
	made []*resolve.Choice
}

// readKey asks, and returns the next key. The terminal is as it was before and after. It
// takes keys one by one before the question is there to be answered: Ctrl-C would be a
// signal otherwise, that ends the process.
func readKey(in *os.File, out io.Writer, question string) (byte, error) {
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return 0, err
	}
	var b [1]byte
	fmt.Fprint(out, strings.ReplaceAll(question, "\n", "\r\n")) // nothing else returns the carriage now
	_, err = io.ReadFull(in, b[:])
	return b[0], errors.Join(err, term.Restore(int(in.Fd()), before))
}

// readLine returns the next line, and leaves what was typed ahead of the next question. What
// was typed before this one has the Enter key's own code at its end.
func readLine(in io.Reader) (string, error) {
	var line []byte
	var b [1]byte
	for {
		if _, err := io.ReadFull(in, b[:]); err != nil {
			return "", err
		}
		if b[0] == '\n' || b[0] == keyEnter {
			return string(line), nil
		}
		line = append(line, b[0])
	}
}

// What a key is called that has no letter.
const (
	keyEnter     = '\r'
	keyInterrupt = 3 // Ctrl-C
	keyEnd       = 4 // Ctrl-D
)

const askHelp = `  m  mine: your own edit stands
  s  shared: the other one stands
  b  base: neither, as it was before both
  v  a value of your own, for this field
  Enter  leave this one for later
  u  undo: go back to the one before
  q  quit, and go on later: what you have answered stands
`

// Ask asks about what is left, and returns what was chosen.
func (a *Asker) Ask() ([]resolve.Choice, error) {
	for len(a.undo) < len(a.Resolution.Left) {
		i := len(a.undo)
		c := a.Resolution.Left[i]
		quit, err := a.answer(c, fmt.Sprintf("%d of %d: %s\n[m]ine [s]hared [b]ase [v]alue [u]ndo [q]uit [?] ", i+1, len(a.Resolution.Left), a.Resolution.Line(c)))
		if err != nil {
			return nil, err
		}
		if quit {
			break
		}
	}
	var choices []resolve.Choice
	for _, c := range a.made {
		if c != nil {
			choices = append(choices, *c)
		}
	}
	return choices, nil
}

// answer takes one key about a conflict. A key that says nothing is asked for again.
func (a *Asker) answer(c merge.Conflict, question string) (quit bool, err error) {
	key, err := readKey(a.In, a.Out, question)
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.EIO) { // the terminal is gone
		key, err = 'q', nil
	}
	if err != nil {
		return false, err
	}
	switch key {
	case 'm', 's', 'b':
		if key == 'b' && c.ID == 0 {
			fmt.Fprintf(a.Out, "\n%v\n", resolve.ErrNoBase)
			return false, nil
		}
		side := map[byte]resolve.Side{'m': resolve.Mine, 's': resolve.Shared, 'b': resolve.Base}[key]
		fmt.Fprintln(a.Out, side)
		return false, a.take(resolve.ChoiceOf(c, side))
	case 'v':
		return false, a.value(c)
	case keyEnter, '\n', ' ':
		fmt.Fprintln(a.Out, "later")
		a.undo, a.made = append(a.undo, nil), append(a.made, nil)
	case 'u':
		return false, a.back()
	case 'q', keyInterrupt, keyEnd:
		fmt.Fprintln(a.Out, "quit")
		return true, nil
	default:
		fmt.Fprintf(a.Out, "\n%s", askHelp)
	}
	return false, nil
}

func (a *Asker) take(c resolve.Choice) error {
	undo, err := a.Resolution.Remember(c)
	if err != nil {
		return err
	}
	a.undo, a.made = append(a.undo, undo), append(a.made, &c)
	return nil
}

// back takes the last answer back.
func (a *Asker) back() error {
	n := len(a.undo)
	if n == 0 {
		fmt.Fprintln(a.Out, "this is the first")
		return nil
	}
	fmt.Fprintln(a.Out, "undone")
	undo := a.undo[n-1]
	a.undo, a.made = a.undo[:n-1], a.made[:n-1]
	if undo == nil {
		return nil
	}
	return undo()
}

// value asks for a value of the person's own, until there is one that fits: a key would be
// taken for an answer about the conflict otherwise. An empty line goes back to that.
func (a *Asker) value(c merge.Conflict) error {
	if c.Field == "" || c.ID == 0 {
		fmt.Fprintln(a.Out, "\nthis is about the whole, not about a value")
		return nil
	}
	fmt.Fprintln(a.Out)
	for {
		fmt.Fprintf(a.Out, "%s = ", c.Field)
		line, err := readLine(a.In)
		line = strings.TrimSpace(line)
		if err != nil || line == "" {
			fmt.Fprintln(a.Out)
			return nil
		}
		choice, err := a.Value(c, typed(c.Ours.Shape, line))
		if err == nil {
			return a.take(choice)
		}
		fmt.Fprintln(a.Out, err)
	}
}

// typed returns as an expression what a person has typed as values are shown: a vector
// without its brackets, a text, a name or an expression without quotes.
func typed(s *entity.Shape, line string) string {
	switch {
	case s == nil:
	case (s.Kind == entity.KindString || s.Kind == entity.KindEnum || s.Kind == entity.KindExpr) && !strings.HasPrefix(line, `"`):
		return strconv.Quote(line)
	case s.Kind.Components() > 1 && !strings.HasPrefix(line, "["):
		return "[" + line + "]"
	}
	return line
}

// Confirm asks a question on a terminal, and reports whether it was answered with yes. The
// answer without a word is no. The error is of a person that has left.
func Confirm(in io.Reader, out io.Writer, question string) (bool, error) {
	fmt.Fprintf(out, "%s [y/N] ", question)
	answer, err := readLine(in)
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes", err
}
