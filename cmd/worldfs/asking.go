package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/resolve"
	"github.com/worldfs/worldfs/merge"
)

// isTerminal reports whether input comes from a terminal.
func isTerminal(in io.Reader) bool {
	f, ok := in.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// asking asks a person about conflicts, one key each. What was answered is kept at once:
// a call that is killed, or left with q, is gone on with by the next.
type asking struct {
	r   *resolve.Resolution
	out io.Writer
	key func() (byte, error)
	// line reads a line, which the person can edit.
	line func() (string, error)

	undo []func() error // one for each conflict that was asked about, in their order; nil: it was left
	made []*resolve.Choice
}

func newAsking(cmd *cobra.Command, r *resolve.Resolution) *asking {
	in := cmd.InOrStdin().(*os.File) // see check
	return &asking{
		r: r, out: cmd.OutOrStdout(),
		key: func() (byte, error) { return readKey(in) },
		line: func() (string, error) {
			s, err := bufio.NewReader(in).ReadString('\n')
			return strings.TrimSpace(s), err
		},
	}
}

// readKey returns the next key. The terminal is as it was before and after.
func readKey(in *os.File) (byte, error) {
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return 0, err
	}
	var b [1]byte
	_, err = io.ReadFull(in, b[:])
	return b[0], errors.Join(err, term.Restore(int(in.Fd()), before))
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

// ask asks about what is left, and returns what was chosen.
func (a *asking) ask() ([]resolve.Choice, error) {
	for len(a.undo) < len(a.r.Left) {
		i := len(a.undo)
		fmt.Fprintf(a.out, "%d of %d: %s\n[m]ine [s]hared [b]ase [v]alue [u]ndo [q]uit [?] ", i+1, len(a.r.Left), a.r.Line(a.r.Left[i]))
		quit, err := a.answer(a.r.Left[i])
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
func (a *asking) answer(c merge.Conflict) (quit bool, err error) {
	key, err := a.key()
	if errors.Is(err, io.EOF) {
		key, err = 'q', nil
	}
	if err != nil {
		return false, err
	}
	switch key {
	case 'm', 's', 'b':
		if key == 'b' && c.ID == 0 {
			fmt.Fprintf(a.out, "\n%v\n", resolve.ErrNoBase)
			return false, nil
		}
		side := map[byte]resolve.Side{'m': resolve.Mine, 's': resolve.Shared, 'b': resolve.Base}[key]
		fmt.Fprintln(a.out, side)
		return false, a.take(resolve.ChoiceOf(c, side))
	case 'v':
		return false, a.value(c)
	case keyEnter, '\n', ' ':
		fmt.Fprintln(a.out, "later")
		a.undo, a.made = append(a.undo, nil), append(a.made, nil)
	case 'u':
		return false, a.back()
	case 'q', keyInterrupt, keyEnd:
		fmt.Fprintln(a.out, "quit")
		return true, nil
	default:
		fmt.Fprintf(a.out, "\n%s", askHelp)
	}
	return false, nil
}

func (a *asking) take(c resolve.Choice) error {
	undo, err := a.r.Remember(c)
	if err != nil {
		return err
	}
	a.undo, a.made = append(a.undo, undo), append(a.made, &c)
	return nil
}

// back takes the last answer back.
func (a *asking) back() error {
	n := len(a.undo)
	if n == 0 {
		fmt.Fprintln(a.out, "this is the first")
		return nil
	}
	fmt.Fprintln(a.out, "undone")
	undo := a.undo[n-1]
	a.undo, a.made = a.undo[:n-1], a.made[:n-1]
	if undo == nil {
		return nil
	}
	return undo()
}

// value asks for a value of the person's own. One that does not fit is told, and the
// conflict asked about again.
func (a *asking) value(c merge.Conflict) error {
	if c.Field == "" || c.ID == 0 {
		fmt.Fprintln(a.out, "\nthis is about the whole, not about a value")
		return nil
	}
	fmt.Fprintf(a.out, "\n%s = ", c.Field)
	line, err := a.line()
	if err != nil || line == "" {
		fmt.Fprintln(a.out)
		return nil
	}
	choices, err := choicesOfValues(a.r, c.ID, []string{c.Field + "=" + typed(c.Ours.Shape, line)})
	if err != nil {
		fmt.Fprintln(a.out, err)
		return nil
	}
	return a.take(choices[0])
}

// typed returns as an expression what a person has typed as values are shown: a vector
// without its brackets, a text or a name without quotes.
func typed(s *entity.Shape, line string) string {
	switch {
	case s == nil:
	case (s.Kind == entity.KindString || s.Kind == entity.KindEnum) && !strings.HasPrefix(line, `"`):
		return strconv.Quote(line)
	case s.Kind.Components() > 1 && !strings.HasPrefix(line, "["):
		return "[" + line + "]"
	}
	return line
}
