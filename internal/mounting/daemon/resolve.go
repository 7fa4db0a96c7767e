package daemon

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"

	"github.com/worldfs/worldfs/entity"
)

// resolveCall says what becomes of the conflicts of version control's merge, as the flags
// of worldfs resolve do. The zero call says what is left.
type resolveCall struct {
	Take   string    `json:"take"`   // mine, shared or base
	Names  []string  `json:"names"`  // with take: IDs and types; none: all
	Fields []string  `json:"fields"` // with take: none: all
	Set    entity.ID `json:"set"`    // values are for the entity of this ID; 0: there are none
	Values []string  `json:"values"` // FIELD=EXPR
}

// handleResolve is for a game's display, which offers the sides of conflicts there. The
// work is version control's, and in the mount as any program sees it: so a process of its
// own does it, as for a person at a terminal.
func (d *daemon) handleResolve(w http.ResponseWriter, r *http.Request) {
	answerResolve(w, r, d.dir.Root)
}

// answerResolve is handleResolve of the world at root.
func answerResolve(w http.ResponseWriter, r *http.Request, root string) {
	var c resolveCall
	if err := readCall(http.MaxBytesReader(w, r.Body, 1<<20), &c); err != nil {
		answer(w, nothing{}, err)
		return
	}
	a, err := c.run(r.Context(), root)
	answer(w, a, err)
}

// arguments are those of the command. What the caller names becomes no option.
func (c *resolveCall) arguments() []string {
	args := []string{"resolve", "--json"}
	if c.Take != "" {
		args = append(args, "--take="+c.Take)
	}
	for _, field := range c.Fields {
		args = append(args, `--field="`+strings.ReplaceAll(field, `"`, `""`)+`"`) // it is read as CSV
	}
	if c.Set != 0 {
		args = append(args, "--set="+c.Set.String())
	}
	return append(append(append(args, "--"), c.Names...), c.Values...)
}

// run returns what worldfs resolve --json prints about the world at root. It does not keep the
// world open: the process asks for that itself.
func (c *resolveCall) run(ctx context.Context, root string) (json.RawMessage, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("run worldfs resolve: %w", err)
	}
	var out, said bytes.Buffer
	cmd := exec.CommandContext(ctx, self, c.arguments()...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = root, &out, &said
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil || errors.As(err, &exit) && exit.ExitCode() == ExitProblems:
		return out.Bytes(), nil
	case exit != nil:
		said := strings.TrimSpace(strings.TrimPrefix(said.String(), "worldfs: "))
		return nil, &Failure{Message: cmp.Or(said, err.Error()), Exit: exit.ExitCode()}
	}
	return nil, fmt.Errorf("run worldfs resolve: %w", err)
}
