package cli

import (
	"io"
	"os"

	"golang.org/x/term"
)

// Terminal reports whether w is a terminal that has colours, and how wide it
// is, 0 for any width.
func Terminal(w io.Writer) (color bool, width int) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return false, 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		width = 0
	}
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb", width
}
