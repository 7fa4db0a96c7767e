package mergestudy

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/worldfs/worldfs/entity"
)

// git merges files in a directory of its own.
type git struct{ dir string }

// mergeFile merges three texts as git merges a file.
func (g *git) mergeFile(base, ours, theirs []byte) (merged []byte, conflict bool, err error) {
	for name, text := range map[string][]byte{"base": base, "ours": ours, "theirs": theirs} {
		if err := os.WriteFile(filepath.Join(g.dir, name), text, 0o600); err != nil {
			return nil, false, err
		}
	}
	cmd := exec.Command("git", "merge-file", "-p", "ours", "base", "theirs")
	cmd.Dir = g.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
	var messages bytes.Buffer
	cmd.Stderr = &messages
	merged, err = cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 0 && exit.ExitCode() < 128 { // how many conflicts there are
		return merged, true, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("git merge-file: %w: %s", err, messages.Bytes())
	}
	return merged, false, nil
}

// byBigFile merges the worlds as one text each.
func (c *threeWay) byBigFile(g *git) (verdict, error) {
	merged, conflict, err := g.mergeFile(bigFile(c.base), bigFile(c.sides[0].world), bigFile(c.sides[1].world))
	if err != nil || conflict {
		return verdict{conflict: true}, err
	}
	v := verdict{}
	v.faults, v.failure = c.examine(c.readBigFile(merged), false)
	return v, nil
}

func bigFile(w *entity.World) (all []byte) {
	for e := range w.All() {
		if len(all) > 0 {
			all = append(all, '\n')
		}
		all = append(all, text(e)...)
	}
	return all
}

// byFiles merges the worlds as a file for each entity.
func (c *threeWay) byFiles(g *git) (verdict, error) {
	texts := make(map[entity.ID][]byte)
	for id := entity.ID(1); id <= mostIDs; id++ {
		merged, conflict, err := g.file(fileOf(c.base, id), fileOf(c.sides[0].world, id), fileOf(c.sides[1].world, id))
		if err != nil || conflict {
			return verdict{conflict: true}, err
		}
		if merged != nil {
			texts[id] = merged
		}
	}
	v := verdict{}
	v.faults, v.failure = c.examine(c.readFiles(texts, &outcome{}), false)
	return v, nil
}

// fileOf returns an entity's text, nil if there is none.
func fileOf(w *entity.World, id entity.ID) []byte {
	if e, ok := w.Get(id); ok {
		return text(e)
	}
	return nil
}

// file merges a file that need not be there on every side.
func (g *git) file(base, ours, theirs []byte) (merged []byte, conflict bool, err error) {
	switch {
	case bytes.Equal(ours, theirs), bytes.Equal(base, theirs):
		return ours, false, nil
	case bytes.Equal(base, ours):
		return theirs, false, nil
	case base != nil && (ours == nil || theirs == nil): // deleted against modified
		return nil, true, nil
	}
	return g.mergeFile(base, ours, theirs)
}
