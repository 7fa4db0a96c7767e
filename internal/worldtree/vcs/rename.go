package vcs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Move is a file's old name and its new one, both from the directory asked
// about, with slashes.
type Move struct{ From, To string }

// Rename tells git and svn, whichever has dir, that files are renamed: of
// those that they track the history goes on under the new name. What they do
// not track is none of their business. git's index is changed in one step, and
// the files are left to the caller; svn moves its files itself. The directories
// that files go to are there; of those that svn then has nothing in, it is told
// too.
//
// Again with what is left of the same moves it does the rest.
func Rename(dir string, moves []Move) error {
	for _, rename := range []func(string, []Move) error{renameInGit, renameInSVN} {
		err := rename(dir, moves)
		if err != nil && !errors.Is(err, ErrNoRepository) && !errors.Is(err, ErrNoTool) {
			return err
		}
	}
	return nil
}

func renameInGit(dir string, moves []Move) error {
	ctx := context.Background()
	r, err := Git{Dir: dir}.open(ctx)
	if err != nil {
		return err
	}
	args := append([]string{"ls-files", "--stage", "-z", "--"}, parents(moves)...)
	out, err := r.git(ctx, args...).Text()
	if err != nil {
		return fmt.Errorf("find what git tracks: %w", err)
	}
	changes := indexChanges(string(out), r.prefix, moves)
	if changes == nil {
		return nil
	}
	update := r.git(ctx, "update-index", "-z", "--index-info")
	update.Stdin = bytes.NewReader(changes)
	if _, err := update.Text(); err != nil {
		return fmt.Errorf("rename files in git's index: %w", err)
	}
	return nil
}

// indexChanges returns what tells git update-index of the moves, given what
// git ls-files prints; nil if none of the files is tracked. A file whose new
// name is tracked already stays.
func indexChanges(tracked, prefix string, moves []Move) []byte {
	entries := make(map[string][]string) // "mode object stage" by name
	for line := range strings.SplitSeq(strings.TrimSuffix(tracked, "\x00"), "\x00") {
		if entry, name, ok := strings.Cut(line, "\t"); ok {
			entries[name] = append(entries[name], entry)
		}
	}
	var changes bytes.Buffer
	for _, m := range moves {
		if entries[m.From] == nil || entries[m.To] != nil {
			continue
		}
		_, object, _ := strings.Cut(entries[m.From][0], " ")
		object, _, _ = strings.Cut(object, " ")
		fmt.Fprintf(&changes, "0 %s\t%s\x00", strings.Repeat("0", len(object)), prefix+m.From)
		for _, entry := range entries[m.From] {
			fmt.Fprintf(&changes, "%s\t%s\x00", entry, prefix+m.To)
		}
	}
	return changes.Bytes()
}

// parents returns the directories that files are moved from and to.
func parents(moves []Move) []string {
	var dirs []string
	for _, m := range moves {
		dirs = append(dirs, path.Dir(m.From), path.Dir(m.To))
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

func renameInSVN(dir string, moves []Move) error {
	w, err := SVN{Dir: dir}.open()
	if err != nil {
		return err
	}
	// Only a file that was just written could be mistaken for an unchanged one,
	// which is what svn would wait for after every call.
	w.env = append(w.env, "SVN_I_LOVE_CORRUPTED_WORKING_COPIES_SO_DISABLE_SLEEP_FOR_TIMESTAMPS=yes")
	tracked, err := w.tracked(parents(moves))
	if err != nil || len(tracked) == 0 {
		return err
	}
	to := make(map[string][]string) // directories to the files that go there
	for _, m := range moves {
		if _, there := tracked[m.To]; tracked[m.From] && !there {
			to[path.Dir(m.To)] = append(to[path.Dir(m.To)], m.From)
		}
	}
	for _, in := range slices.Sorted(maps.Keys(to)) {
		if err := w.moveInto(in, to[in], tracked[in]); err != nil {
			return fmt.Errorf("move files as svn mv does: %w", err)
		}
	}
	return w.removeEmpty(moves, tracked)
}

// tracked returns which of the directories and of the files in them svn has, false for one
// in conflict: svn mv would forget that.
func (w *workingCopy) tracked(dirs []string) (map[string]bool, error) {
	args := []string{"--xml", "--depth", "immediates"}
	for _, d := range dirs {
		args = append(args, w.target(d))
	}
	out, err := w.svn(context.Background(), w.dir, "info", args...).Text()
	if err != nil && !onlyMissing(err) {
		return nil, w.explain(err)
	}
	tracked := make(map[string]bool)
	err = eachNode(bytes.NewReader(out), func(n node) error {
		rel, err := w.relative(n.path)
		if err == nil && n.schedule != "delete" {
			tracked[rel] = n.content() == nil
		}
		return err
	})
	return tracked, err
}

// batchOfFiles is how many files one call of svn moves: a command line has
// its limits.
const batchOfFiles = 1000

func (w *workingCopy) moveInto(dir string, files []string, tracked bool) error {
	ctx := context.Background()
	if !tracked {
		if _, err := w.svn(ctx, w.dir, "add", "--quiet", "--depth", "empty", dir).Text(); err != nil {
			return err
		}
	}
	for batch := range slices.Chunk(files, batchOfFiles) {
		args := slices.Concat([]string{"--quiet"}, batch, []string{dir})
		if _, err := w.svn(ctx, w.dir, "move", args...).Text(); err != nil {
			return err
		}
	}
	return nil
}

// removeEmpty removes the directories that files have come from and that are
// left with nothing, but for those that files have gone to and what is above
// them.
func (w *workingCopy) removeEmpty(moves []Move, tracked map[string]bool) error {
	kept := make(map[string]bool)
	for _, m := range moves {
		kept[path.Dir(m.To)], kept[path.Dir(path.Dir(m.To))] = true, true
	}
	var empty []string
	for _, m := range moves {
		from := path.Dir(m.From)
		if kept[from] || !tracked[from] || !w.isEmpty(from) {
			continue
		}
		kept[from] = true
		empty = append(empty, from)
	}
	if len(empty) == 0 {
		return nil
	}
	_, err := w.svn(context.Background(), w.dir, "delete", append([]string{"--quiet"}, empty...)...).Text()
	return err
}

func (w *workingCopy) isEmpty(dir string) bool {
	entries, err := os.ReadDir(filepath.Join(w.dir, dir))
	return err == nil && len(entries) == 0
}
