package mergestudy

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/typefile"
)

// toolbox runs the programs that people type, with a home of its own.
type toolbox struct {
	worldfs string // the built program
	home    string
}

// environment returns that of a person who has set nothing up but a name.
func (t *toolbox) environment() []string {
	return append(os.Environ(), "HOME="+t.home, "XDG_CONFIG_HOME="+t.home, "XDG_RUNTIME_DIR="+t.home, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_EDITOR=true", "GIT_AUTHOR_NAME=ann", "GIT_AUTHOR_EMAIL=ann@example.com",
		"GIT_COMMITTER_NAME=ann", "GIT_COMMITTER_EMAIL=ann@example.com", "LC_ALL=C.UTF-8")
}

// try runs a program and returns what it prints and its exit status.
func (t *toolbox) try(dir, stdin, name string, args ...string) (stdout, all string, exit int, err error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, t.environment(), strings.NewReader(stdin)
	var out, messages bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &messages
	err = cmd.Run()
	var status *exec.ExitError
	if errors.As(err, &status) {
		exit, err = status.ExitCode(), nil
	}
	return out.String(), messages.String() + out.String(), exit, err
}

// run runs a program that must succeed.
func (t *toolbox) run(dir, name string, args ...string) error { return t.feed(dir, "", name, args...) }

// feed is run with an input.
func (t *toolbox) feed(dir, stdin, name string, args ...string) error {
	_, all, exit, err := t.try(dir, stdin, name, args...)
	if err == nil && exit != 0 {
		err = fmt.Errorf("exit status %d: %s", exit, strings.TrimSpace(all))
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return nil
}

// files returns the files of a world directory that version control has of a world.
func (c *threeWay) files(w *entity.World) map[string][]byte {
	files := map[string][]byte{
		"world.toml": []byte("id = \"6d3f3c5e-0000-4000-8000-000000000001\"\n"),
		"id_ranges":  []byte("# whose IDs are whose\n"),
	}
	if c.disposable {
		in := ranges.List[0]
		files["id_ranges"] = fmt.Appendf(nil, "%d %d %s disposable\n", in.From, in.To, in.Owners[0])
	}
	for _, t := range w.Types.All() {
		files["types/"+typefile.FileName(t.Name)] = typefile.Format(t)
	}
	for e := range w.All() {
		files["entities/"+layout.FileName(e.ID)] = text(e)
	}
	return files
}

// readTexts reads the texts of the entities of a world directory. svn has other files
// beside them where there is a conflict.
func readTexts(dir string) (map[entity.ID][]byte, error) {
	texts := make(map[entity.ID][]byte)
	entries, err := os.ReadDir(filepath.Join(dir, "entities"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		id, ok := layout.ParseFileName(e.Name())
		if !ok {
			continue
		}
		if texts[id], err = os.ReadFile(filepath.Join(dir, "entities", e.Name())); err != nil {
			return nil, err
		}
	}
	return texts, nil
}
