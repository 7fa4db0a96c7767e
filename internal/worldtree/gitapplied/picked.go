package gitapplied

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

// mostPicked is how many of the last steps of the reflog are looked at.
const mostPicked = 1000

// copied is a commit that git has made of another's change.
type copied struct {
	commit, parent string
	by             string   // the author, with the time, and the subject, which git takes along
	seconds        int64    // of that time
	of             []string // the commits whose change it may be
}

// picked is what git has cherry-picked or reverted just now, without stopping: as many
// commits, one after the other, as follow each other in what they were made of, too. nil
// where the last that HEAD did was none of it, or where the commit that was picked is not
// found.
func (f *finder) picked() (*vcs.Operation, error) {
	kind, commits, err := f.lastPicked()
	if len(commits) == 0 || err != nil {
		return nil, err
	}
	copies, err := f.readCopies(commits)
	if err != nil {
		return nil, err
	}
	if kind == vcs.CherryPicking {
		if err := f.findPicked(copies); err != nil {
			return nil, err
		}
	}
	run, err := f.longestRun(kind, copies)
	if len(run) == 0 || err != nil {
		return nil, err
	}
	base, theirs := run[len(run)-1], run[0]
	op := &vcs.Operation{Kind: kind, Ours: copies[len(run)-1].parent, Theirs: theirs, Done: true}
	if kind == vcs.Reverting {
		op.Bases = []string{base}
		op.Theirs, err = f.Line("rev-parse", "--verify", theirs+"^")
		return op, err
	}
	if base, err = f.Line("rev-parse", "--verify", "--quiet", base+"^"); err == nil {
		op.Bases = []string{base}
	} else if vcs.IsNo(err) {
		err = nil // it is the first of all
	}
	return op, err
}

// longestRun returns what the last copies were made of, the newest first, as far as one
// follows the other.
func (f *finder) longestRun(kind vcs.OperationKind, copies []copied) (longest []string, err error) {
	if len(copies) == 0 {
		return nil, nil
	}
	for _, of := range copies[0].of {
		run, err := f.run(kind, copies, of)
		if err != nil {
			return nil, err
		}
		if len(run) > len(longest) {
			longest = run
		}
	}
	return longest, nil
}

// run returns what copies were made of, if that of the first is a certain commit.
func (f *finder) run(kind vcs.OperationKind, copies []copied, of string) (run []string, err error) {
	for i, c := range copies {
		if is, err := f.isMadeOf(kind, c, of); !is || err != nil {
			return run, err
		}
		run = append(run, of)
		if i+1 == len(copies) {
			break
		}
		next := slices.IndexFunc(copies[i+1].of, func(older string) bool { return f.follows(kind, of, older) })
		if next < 0 {
			break
		}
		of = copies[i+1].of[next]
	}
	return run, nil
}

// lastPicked returns the commits that HEAD came by last, all by the same command, the newest
// first.
func (f *finder) lastPicked() (kind vcs.OperationKind, commits []string, err error) {
	lines, err := f.List("log", "-g", "-z", "--format=%H %gs", "-n", strconv.Itoa(mostPicked), "HEAD", "--")
	if err != nil {
		return "", nil, nil // a repository may have no reflog
	}
	for _, line := range lines {
		commit, action, _ := strings.Cut(line, " ")
		command, _, _ := strings.Cut(action, ": ")
		if by := vcs.OperationKind(command); len(commits) == 0 && (by == vcs.CherryPicking || by == vcs.Reverting) {
			kind = by
		} else if by != kind || kind == "" {
			break
		}
		commits = append(commits, commit)
	}
	return kind, commits, nil
}

// readCopies reads commits, and what those say that tell of what they were made.
func (f *finder) readCopies(commits []string) (copies []copied, err error) {
	out, err := f.Call(lines(commits), "log", "--no-walk=unsorted", "--stdin", "-z", "--format=%H%n%P%n%at%n"+byFormat+"%n%B")
	if err != nil {
		return nil, err
	}
	for text := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		parts := strings.SplitN(text, "\n", 5)
		if len(parts) < 5 || strings.Contains(parts[1], " ") {
			break
		}
		seconds, err := strconv.ParseInt(parts[2], 10, 64)
		if err != nil {
			break
		}
		copies = append(copies, copied{commit: parts[0], parent: parts[1], by: parts[3], seconds: seconds, of: namedIn(parts[4])})
	}
	return copies, nil
}

// byFormat has git print what a copied commit takes along.
const byFormat = "%at %an <%ae> %s"

func lines(all []string) []byte { return []byte(strings.Join(all, "\n") + "\n") }

// made is what git writes into a message of a commit that it makes of another.
var made = regexp.MustCompile(`(?m)^(?:\(cherry picked from commit|This reverts commit) ([0-9a-f]{40,64})[).,]`)

// namedIn returns the commit of which a message says that it was made of, none if it says
// none. The last is that which git did last.
func namedIn(message string) []string {
	all := made.FindAllStringSubmatch(message, -1)
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1][1:]
}

// findPicked finds the commits that others may have been picked from. None was made before its
// author's time.
func (f *finder) findPicked(copies []copied) error {
	since, wanted, is := copies[0].seconds, make(map[string][]string), make(map[string]bool)
	for _, c := range copies {
		since = min(since, c.seconds)
		wanted[c.by], is[c.commit] = nil, true
	}
	found, err := f.List("log", "--all", "--reflog", "-z", fmt.Sprint("--since=@", since-1), "--format=%H "+byFormat)
	if err != nil {
		return err
	}
	for _, line := range found {
		commit, by, _ := strings.Cut(line, " ")
		if _, ok := wanted[by]; ok && !is[commit] {
			wanted[by] = append(wanted[by], commit)
		}
	}
	for i, c := range copies {
		if len(c.of) == 0 {
			copies[i].of = wanted[c.by]
		}
	}
	return nil
}

// isMadeOf reports whether a commit is what git makes of the change of another, made on the
// parent. It is a merge whose base is the commit before that, or for a revert that itself.
func (f *finder) isMadeOf(kind vcs.OperationKind, c copied, of string) (bool, error) {
	base, theirs := of+"^", of
	if _, err := f.Call(nil, "rev-parse", "--verify", "--quiet", base); vcs.IsNo(err) {
		if base, err = f.emptyCommit(); err != nil {
			return false, err
		}
	}
	if kind == vcs.Reverting {
		base, theirs = theirs, base
	}
	made := f.With(unknown.environment()...)
	common, err := made.Line("commit-tree", base+"^{tree}", "-m", string(kind))
	if err != nil {
		return false, err
	}
	var sides [2]string
	for i, side := range []string{c.parent, theirs} {
		if sides[i], err = made.Line("commit-tree", side+"^{tree}", "-p", common, "-m", string(kind)); err != nil {
			return false, err
		}
	}
	tree, err := f.Line("merge-tree", "--write-tree", "--no-messages", sides[0], sides[1])
	if err != nil {
		return false, nil // it conflicts, or git is older than 2.38
	}
	is, err := f.Line("rev-parse", "--verify", c.commit+"^{tree}")
	return is == tree, err
}

// emptyCommit stands for what there was before the first commit.
func (f *finder) emptyCommit() (string, error) {
	tree, err := f.Call([]byte{}, "mktree")
	if err != nil {
		return "", err
	}
	return f.With(unknown.environment()...).Line("commit-tree", strings.TrimSpace(string(tree)), "-m", "nothing")
}

// follows reports whether one commit is the parent of another, of which copies were made one
// after the other, the newer of these first. Commits are reverted in the opposite order.
func (f *finder) follows(kind vcs.OperationKind, newer, older string) bool {
	if kind == vcs.Reverting {
		newer, older = older, newer
	}
	parents, err := f.Line("rev-list", "--parents", "-n", "1", newer, "--")
	return err == nil && slices.Contains(strings.Fields(parents)[1:], older)
}
