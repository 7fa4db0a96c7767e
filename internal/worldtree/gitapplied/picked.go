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
	run := f.longestRun(kind, copies)
	if len(run) == 0 {
		return nil, nil
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
func (f *finder) longestRun(kind vcs.OperationKind, copies []copied) (longest []string) {
	if len(copies) == 0 {
		return nil
	}
	for _, of := range copies[0].of {
		run := []string{of}
		for _, c := range copies[1:] {
			i := slices.IndexFunc(c.of, func(older string) bool { return f.follows(kind, run[len(run)-1], older) })
			if i < 0 {
				break
			}
			run = append(run, c.of[i])
		}
		if len(run) > len(longest) {
			longest = run
		}
	}
	return longest
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

// findPicked finds the commits that others were picked from. None was made before its
// author's time, and where several have that, the author and the subject, those are it that
// change the same.
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
		if len(c.of) > 0 {
			continue
		}
		if copies[i].of = wanted[c.by]; len(wanted[c.by]) > 1 {
			if copies[i].of, err = f.alike(c.commit, wanted[c.by]); err != nil {
				return err
			}
		}
	}
	return nil
}

// alike returns those of some commits that change the same as another.
func (f *finder) alike(commit string, among []string) (alike []string, err error) {
	patches, err := f.Call(lines(append([]string{commit}, among...)), "diff-tree", "--stdin", "--root", "-r", "-p")
	if err != nil {
		return nil, err
	}
	out, err := f.Call(patches, "patch-id", "--stable")
	if err != nil {
		return nil, err
	}
	patchOf := make(map[string]string)
	for line := range strings.Lines(string(out)) {
		if patch, of, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			patchOf[of] = patch
		}
	}
	return slices.DeleteFunc(slices.Clone(among), func(c string) bool { return patchOf[c] != patchOf[commit] }), nil
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
