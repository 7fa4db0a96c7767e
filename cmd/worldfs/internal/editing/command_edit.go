package editing

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/search"
	"github.com/worldfs/worldfs/internal/mounting/daemon"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/textcodec"
)

func newEditCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "edit ID | TEXT...",
		Short: "Open an entity in your editor",
		Long: `edit opens the text of an entity in $VISUAL, or $EDITOR, which may have
arguments. The entity is given by its ID, its name, or by texts that it has all
of, wherever worldfs find looks for them; where several entities have them they
are listed, and none is opened.

What opens is the entity's file. A world that has none while it is not mounted
(plain = false) gives a copy, which is taken in when the editor ends: what was
changed meanwhile stays, and a copy that cannot be taken in is kept.` +
			cli.ExitStatus("the text does not parse, conflicts, or gives a pose that is derived"),
		Example: "  worldfs edit 6555\n  worldfs edit bunker door\n  EDITOR='code --wait' worldfs edit 6555",
		Args:    cli.Takes(1, search.MaxTexts),
		RunE: func(cmd *cobra.Command, args []string) error {
			return edit(a, cmd, args)
		},
	}
}

// edit opens an entity in an editor, while the world is closed, and takes in what it saved.
func edit(a *cli.App, cmd *cobra.Command, what []string) error {
	editor := editorName()
	if editor == "" {
		return fmt.Errorf("no editor: say which in EDITOR, as in EDITOR=vim worldfs edit %s", strings.Join(what, " "))
	}
	var id entity.ID
	var text []byte
	var path string
	err := use(a, cmd, func(w *world) (err error) {
		if id, err = w.find(cmd, what); err != nil {
			return err
		}
		if w.hasFiles() {
			path = w.path(id)
			if _, err = os.Stat(path); err == nil {
				return nil
			}
			path = ""
		}
		text, err = w.open.Text(id)
		return err
	})
	if err != nil {
		return err
	}
	if path == "" {
		return editCopy(a, cmd, editor, id, text)
	}
	if err := runEditor(cmd, editor, path); err != nil {
		return err
	}
	return use(a, cmd, func(w *world) error {
		if err := w.checkText(id); err != nil {
			return err
		}
		return w.checkPose(cmd, id)
	})
}

// checkPose returns an error where the pose of an entity was edited to no effect.
func (w *world) checkPose(cmd *cobra.Command, id entity.ID) error {
	status, err := w.open.Status()
	if err != nil {
		return err
	}
	var words []string
	for _, f := range status.Findings {
		if f.ID == id && f.Code == entity.CodePoseDerived {
			words = append(words, f.Message)
		}
	}
	return cli.NoEffect(cmd, words)
}

func editorName() string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if editor := strings.TrimSpace(os.Getenv(name)); editor != "" {
			return editor
		}
	}
	return ""
}

// runEditor opens a file in an editor, which is a shell's words, and waits for its end.
func runEditor(cmd *cobra.Command, editor, path string) error {
	c := exec.CommandContext(cmd.Context(), "sh", "-c", editor+` "$@"`, editor, path)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("the editor %s: %w", editor, err)
	}
	return nil
}

// checkText returns an error where the text of an entity does not parse.
func (w *world) checkText(id entity.ID) error {
	text, err := w.open.Text(id)
	if err != nil {
		return nil // it was deleted meanwhile, and that stands
	}
	if _, err := textcodec.Decode(text, id, w.Types); err != nil {
		return cli.Problemsf("the text of entity %d does not parse: %v; it is kept as you wrote it, and the game goes on with the last good values", id, err)
	}
	return nil
}

// editCopy has a copy of a text edited and takes that in. The copy goes away only then.
func editCopy(a *cli.App, cmd *cobra.Command, editor string, id entity.ID, text []byte) error {
	dir, err := os.MkdirTemp("", "worldfs-edit-")
	if err != nil {
		return err
	}
	path := filepath.Join(dir, id.String()+".entity_text")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return err
	}
	if err := runEditor(cmd, editor, path); err != nil {
		return fmt.Errorf("%w; what it wrote is in %s", err, path)
	}
	now, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, text) {
		err = use(a, cmd, func(w *world) error { return w.takeIn(cmd, id, text, now) })
	}
	if err != nil {
		a.Noter(cmd)("your text is kept in " + path)
		return err
	}
	return disk.RemoveAll(dir)
}

// takeIn makes the changes by which the text of an entity became another.
func (w *world) takeIn(cmd *cobra.Command, id entity.ID, from, to []byte) error {
	now, err := textcodec.Decode(to, id, w.Types)
	if err != nil {
		return cli.Problemsf("entity %d: the text does not parse, and nothing was changed: %v", id, err)
	}
	if textcodec.HasMarkers(from) { // what the first side has may stand, which changes no value
		return w.open.Replace([]daemon.Replacement{{ID: id, Was: from, Text: to}}, cmd.Name())
	}
	set := entity.ChangeSet{{Op: entity.OpCreate, ID: id, New: now.Entity}}
	if was, err := textcodec.Decode(from, id, w.Types); err == nil {
		set = entity.DiffEntity(was.Entity, now.Entity)
	} else if good, ok := w.Source.Get(id); ok {
		set = entity.DiffEntity(good, now.Entity)
	}
	if len(set) == 0 {
		return nil
	}
	return w.apply(cmd, set, callOf("edit", id))
}
