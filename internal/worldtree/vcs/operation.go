package vcs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// OperationKind says what brings two sides together.
type OperationKind string

// The operations of git, and worldfs's own pull. svn merges, too.
const (
	Merging       OperationKind = "merge"
	Rebasing      OperationKind = "rebase"
	CherryPicking OperationKind = "cherry-pick"
	Reverting     OperationKind = "revert"
	Unstashing    OperationKind = "stash"
	Pulling       OperationKind = "pull"
)

// Operation is a merge that git or svn has begun, or git has just done.
type Operation struct {
	Kind   OperationKind
	ID     string   // by which svn's is known, which has no commits
	Bases  []string // commits; none: the sides have nothing in common
	Ours   string   // the commit that the working copy was at
	Theirs string   // what comes in
	Done   bool     // git has gone through with it
	Mine   bool     // what comes in is the person's own work, and ours is shared, as in a rebase
	Next   string   // the command that goes on when all is resolved; "" where Done

	Begun time.Time // zero where that is not known
}

// Key names an operation: the same again has the same.
func (o *Operation) Key() string {
	if o.ID != "" {
		return o.ID
	}
	return strings.Join(append([]string{string(o.Kind), o.Ours, o.Theirs}, o.Bases...), " ")
}

// Operation returns what git is in the middle of, else the merge or rebase that it
// has done last if nothing was committed since, else nil.
func (g Git) Operation() (*Operation, error) {
	o, err := g.operations()
	if o == nil || err != nil {
		return nil, err // nothing was committed yet: there is nothing to merge with
	}
	if op, err := o.begun(); op != nil || err != nil {
		return op, err
	}
	unmerged, err := o.unmerged()
	if err != nil {
		return nil, err
	}
	if len(unmerged) > 0 {
		if op, err := o.unstashing(unmerged); op != nil || err != nil {
			return op, err
		}
	}
	op, err := o.done()
	switch {
	case errors.Is(err, ErrShallow) && len(unmerged) == 0:
		return nil, nil // it may be anyone's merge, and long ago
	case err == nil && len(unmerged) > 0 && (op == nil || !o.brings(op, unmerged)):
		return nil, ErrUnmerged
	}
	return op, err
}

// ErrUnmerged says that files are unmerged by a command that git keeps no note of.
var ErrUnmerged = errors.New("files are unmerged in git, by no merge, rebase, cherry-pick, revert or stash that can be found")

// brings reports whether what comes in of unmerged files is what a merge brought that git has
// gone through with, wherever it has the files, or that it deleted them.
func (o *operations) brings(op *Operation, unmerged map[string]string) bool {
	out, err := o.git(o.ctx, "ls-tree", "-r", "--full-tree", op.Theirs).Text()
	deleted := true
	for _, object := range unmerged {
		if deleted = deleted && object == ""; err != nil || !bytes.Contains(out, []byte(object)) {
			return false
		}
	}
	is, err := o.isOf(o.head, unmerged)
	return !deleted || is && err == nil
}

// Finished returns the merge or the rebase that this clone's git has just gone through
// with, whatever of it git has not cleared up yet, else nil: for hooks. What a fast-forward
// brought is another's merge.
func (g Git) Finished() (*Operation, error) {
	o, err := g.operations()
	if o == nil || err != nil {
		return nil, err
	}
	out, err := o.git(o.ctx, "log", "-g", "--format=%gs", "-n", "1", "HEAD", "--").Text()
	if last := strings.TrimSpace(string(out)); err != nil || !strings.Contains(last, "Merge made by") && !strings.Contains(last, "(finish)") {
		return nil, nil // a repository may have no reflog
	}
	return o.done()
}

// IsRebasing reports whether git is in the middle of a rebase: ours is what is shared.
func (g Git) IsRebasing() (bool, error) {
	r, err := g.open(context.Background())
	if err != nil {
		return false, err
	}
	o := operations{repository: r}
	return o.has("rebase-merge") || o.has("rebase-apply"), nil
}

// operations finds out what a repository is in the middle of.
type operations struct {
	*repository
	ctx  context.Context
	head string
}

func (o *operations) has(name string) bool {
	_, err := os.Lstat(filepath.Join(o.gitDir, name))
	return err == nil
}

// begun is what git is in the middle of. Git writes the name of what comes in when it has
// merged, and not again before that is over.
func (o *operations) begun() (*Operation, error) {
	op, err := o.inProgress()
	if op != nil {
		for _, name := range []string{"MERGE_HEAD", "REBASE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "SQUASH_MSG"} {
			if info, err := os.Lstat(filepath.Join(o.gitDir, name)); err == nil && info.ModTime().After(op.Begun) {
				op.Begun = info.ModTime()
			}
		}
	}
	return op, err
}

func (o *operations) inProgress() (*Operation, error) {
	rebasing := o.has("rebase-merge") || o.has("rebase-apply")
	goOn := func(command string) string {
		if rebasing {
			return "git rebase --continue"
		}
		return command
	}
	switch {
	case o.has("MERGE_HEAD"):
		op, err := o.merging()
		if op != nil {
			op.Next, op.Mine = goOn("git commit"), rebasing
		}
		return op, err
	case rebasing && o.has("REBASE_HEAD"):
		return o.applying(Rebasing, "REBASE_HEAD", goOn(""))
	case o.has("CHERRY_PICK_HEAD"):
		return o.applying(CherryPicking, "CHERRY_PICK_HEAD", goOn("git cherry-pick --continue"))
	case o.has("REVERT_HEAD"):
		op, err := o.applying(Reverting, "REVERT_HEAD", goOn("git revert --continue"))
		if op != nil {
			op.Bases, op.Theirs = []string{op.Theirs}, op.Bases[0]
		}
		return op, err
	case o.has("SQUASH_MSG") && !rebasing:
		return o.squashing()
	}
	return nil, nil
}

// merging is a merge that is not committed.
func (o *operations) merging() (*Operation, error) {
	data, err := os.ReadFile(filepath.Join(o.gitDir, "MERGE_HEAD"))
	if err != nil {
		return nil, err
	}
	heads := strings.Fields(string(data))
	if len(heads) != 1 {
		return nil, errors.New("git merges more than two branches at once; worldfs resolve brings two together: git merge --abort, then merge one after the other")
	}
	return o.between(o.head, heads[0])
}

// squashing is a merge of which git notes only the message of the commit that is to be
// made: it names the commits that come in, the newest first.
func (o *operations) squashing() (*Operation, error) {
	data, err := os.ReadFile(filepath.Join(o.gitDir, "SQUASH_MSG"))
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(data)) {
		if commit, ok := strings.CutPrefix(strings.TrimSpace(line), "commit "); ok && isHex(commit) {
			op, err := o.between(o.head, commit)
			if op != nil {
				op.Next = "git commit"
			}
			return op, err
		}
	}
	return nil, nil
}

// between is the merge of two commits.
func (o *operations) between(ours, theirs string) (*Operation, error) {
	bases, err := o.mergeBases(o.ctx, ours, theirs)
	if err != nil {
		return nil, err
	}
	return &Operation{Kind: Merging, Bases: bases, Ours: ours, Theirs: theirs}, nil
}

// applying is the change of one commit, against its first parent, being made again on
// another. In a rebase that commit is the person's own.
func (o *operations) applying(kind OperationKind, ref, next string) (*Operation, error) {
	theirs, err := o.resolve(o.ctx, ref)
	if err != nil {
		return nil, err
	}
	op := &Operation{Kind: kind, Ours: o.head, Theirs: theirs, Next: next, Mine: kind == Rebasing}
	if base, err := o.resolve(o.ctx, theirs+"^"); err == nil {
		op.Bases = []string{base}
	} else if kind == Reverting {
		return nil, fmt.Errorf("the commit %s, which git reverts, has none before it", theirs)
	}
	return op, nil
}

// mostStashes is how many stashes are looked at, the newest first.
const mostStashes = 20

// unstashing is a stash that could not be taken in without conflicts. git notes that
// nowhere, but keeps it: what is unmerged is as it is there, and was changed in it. The rest of a
// stash is the commit that it was made on, which may be unmerged by another command.
func (o *operations) unstashing(unmerged map[string]string) (*Operation, error) {
	out, err := o.git(o.ctx, "log", "-g", "--format=%H %P", fmt.Sprint("-", mostStashes), "refs/stash", "--").Text()
	if err != nil {
		return nil, nil // there is no stash
	}
	for line := range strings.Lines(string(out)) {
		commits := append(strings.Fields(line), "")
		stash, base := commits[0], commits[1]
		is, err := o.isOf(stash, unmerged)
		if !is && err == nil {
			continue
		}
		was, baseErr := o.objects(base, unmerged)
		for name, object := range unmerged {
			is = is && was[name] != object
		}
		if err = errors.Join(err, baseErr); is || err != nil {
			return &Operation{Kind: Unstashing, Bases: []string{base}, Ours: o.head, Theirs: stash, Mine: true, Next: "git stash drop"}, err
		}
	}
	return nil, nil
}

// unmerged returns what comes in, of the files that are unmerged, by name from the top.
func (o *operations) unmerged() (map[string]string, error) {
	out, err := o.git(o.ctx, "ls-files", "--unmerged", "--full-name", "-z").Text()
	if err != nil {
		return nil, err
	}
	files := make(map[string]string)
	for line := range strings.SplitSeq(string(out), "\x00") {
		head, name, ok := strings.Cut(line, "\t")
		words := strings.Fields(head)
		if !ok || len(words) != 3 {
			continue
		}
		if files[name] == "" || words[2] == "3" {
			files[name] = ""
		}
		if words[2] == "3" {
			files[name] = words[1]
		}
	}
	return files, nil
}

// isOf reports whether a commit has the files.
func (o *operations) isOf(commit string, files map[string]string) (bool, error) {
	found, err := o.objects(commit, files)
	for name, object := range files {
		if found[name] != object {
			return false, err
		}
	}
	return err == nil, err
}

// objects returns what a commit has of the files.
func (o *operations) objects(commit string, files map[string]string) (map[string]string, error) {
	args := []string{"ls-tree", "-r", "-z", "--full-tree", commit, "--"}
	out, err := o.aboutObject(o.ctx, append(args, slices.Sorted(maps.Keys(files))...)...)
	if err != nil {
		return nil, err
	}
	found := make(map[string]string)
	for line := range strings.SplitSeq(string(out), "\x00") {
		if f, err := parseListed(line); err == nil {
			found[f.Name] = f.Object
		}
	}
	return found, nil
}

// done is the merge or the rebase that git did last, if HEAD is what came of it.
func (o *operations) done() (*Operation, error) {
	out, err := o.git(o.ctx, "rev-list", "--parents", "-n", "1", o.head).Text()
	if err != nil {
		return nil, err
	}
	if parents := strings.Fields(string(out))[1:]; len(parents) == 2 {
		if !o.reflog().isMadeHere(o.head) {
			return nil, nil // what is to be said about another's merge that other has said
		}
		op, err := o.between(parents[0], parents[1])
		if op != nil {
			op.Done = true
		}
		return op, err
	}
	return o.rebased()
}

// rebased is the rebase of which HEAD came, as the reflog has it.
func (o *operations) rebased() (*Operation, error) {
	log := o.reflog()
	if len(log) == 0 || !log[0].isRebase("finish") {
		return nil, nil
	}
	onto, was, ok := log.rebase(0)
	if !ok {
		return nil, nil
	}
	return o.rebasing(onto, was)
}

// rebasing is a rebase that git has gone through with.
func (o *operations) rebasing(onto, was string) (*Operation, error) {
	op, err := o.between(onto, was)
	if op != nil {
		op.Kind, op.Done, op.Mine = Rebasing, true, true
	}
	return op, err
}
