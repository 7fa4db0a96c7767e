package vcs

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Finished is a merge or a rebase that git has gone through with.
type Finished struct {
	Kind   OperationKind
	Commit string // that came of it
	Author string
	Time   time.Time

	ours, theirs string
}

// mostFinished is how many merges, and how many steps of the reflog, are looked at.
const mostFinished = 1000

// FinishedSince returns the merges that HEAD has, and the rebases that were made here, since
// a time, the newest first. In a repository without a commit there are none.
func (g Git) FinishedSince(since time.Time) ([]Finished, error) {
	o, err := g.operations()
	if o == nil || err != nil {
		return nil, err
	}
	merges, err := o.merges(since)
	if err != nil {
		return nil, err
	}
	return append(o.rebases(since), merges...), nil
}

// OperationOf returns what came to an end so.
func (g Git) OperationOf(f Finished) (*Operation, error) {
	o, err := g.operations()
	if o == nil || err != nil {
		return nil, err
	}
	if f.Kind == Rebasing {
		return o.rebasing(f.ours, f.theirs)
	}
	op, err := o.between(f.ours, f.theirs)
	if op != nil {
		op.Done = true
	}
	return op, err
}

// operations returns nil where nothing was committed yet.
func (g Git) operations() (*operations, error) {
	ctx := context.Background()
	r, err := g.open(ctx)
	if err != nil {
		return nil, err
	}
	o := &operations{ctx: ctx, repository: r}
	out, err := r.git(ctx, "rev-parse", "--absolute-git-dir").output()
	if err != nil {
		return nil, err
	}
	o.dir = strings.TrimSuffix(string(out), "\n")
	if o.head, err = r.resolve(ctx, "HEAD"); err != nil {
		return nil, nil // an error is only that there is none
	}
	return o, nil
}

// merges returns the merges of two commits.
func (o *operations) merges(since time.Time) (all []Finished, err error) {
	out, err := o.git(o.ctx, "log", "--merges", fmt.Sprint("--since=@", since.Unix()), "-n", strconv.Itoa(mostFinished),
		"--format=%H%x00%P%x00%at%x00%an", o.head, "--").output()
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(out)) {
		words := strings.SplitN(strings.TrimSuffix(line, "\n"), "\x00", 4)
		if len(words) != 4 {
			continue
		}
		f := Finished{Kind: Merging, Commit: words[0], Author: words[3]}
		parents := strings.Fields(words[1])
		seconds, err := strconv.ParseInt(words[2], 10, 64)
		if len(parents) != 2 || err != nil {
			continue
		}
		f.Time, f.ours, f.theirs = time.Unix(seconds, 0), parents[0], parents[1]
		all = append(all, f)
	}
	return all, nil
}

// rebases returns the rebases that the reflog has.
func (o *operations) rebases(since time.Time) (all []Finished) {
	log := o.reflog()
	for i, step := range log {
		if !step.isRebase("finish") || step.time.Before(since) {
			continue
		}
		if onto, was, ok := log.rebase(i); ok {
			all = append(all, Finished{Kind: Rebasing, Commit: step.commit, Author: step.author, Time: step.time, ours: onto, theirs: was})
		}
	}
	return all
}

// reflog is what HEAD was, the last first.
type reflog []reflogStep

type reflogStep struct {
	commit, action, author string
	time                   time.Time
}

// reflog returns none where a repository has no reflog.
func (o *operations) reflog() (log reflog) {
	out, err := o.git(o.ctx, "log", "-g", "--date=unix", "--format=%H%x00%gd%x00%gn%x00%gs", "-n", strconv.Itoa(mostFinished), "HEAD", "--").output()
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(out)) {
		words := strings.SplitN(strings.TrimSuffix(line, "\n"), "\x00", 4)
		if len(words) != 4 {
			continue
		}
		at := strings.TrimSuffix(words[1][strings.LastIndexByte(words[1], '{')+1:], "}")
		seconds, _ := strconv.ParseInt(at, 10, 64) // 0 is long ago
		log = append(log, reflogStep{words[0], words[3], words[2], time.Unix(seconds, 0)})
	}
	return log
}

// isRebase reports whether a step is one of a rebase, as start or finish.
func (s reflogStep) isRebase(step string) bool {
	return (strings.HasPrefix(s.action, "rebase ") || strings.HasPrefix(s.action, "pull ")) && strings.Contains(s.action, "("+step+")")
}

// isMadeHere reports whether a merge was made in this clone, and did not come with a
// fast-forward, a clone or a checkout; of one that no reflog tells of, it may be.
func (log reflog) isMadeHere(merge string) bool {
	for _, step := range log {
		if step.commit == merge && (strings.HasPrefix(step.action, "commit") || strings.Contains(step.action, "Merge made by")) {
			return true
		}
	}
	return len(log) == 0
}

// rebase returns, of the rebase that ended with a step, onto what it was and what.
func (log reflog) rebase(finish int) (onto, was string, ok bool) {
	for i := finish + 1; i < len(log)-1; i++ {
		if log[i].isRebase("start") {
			return log[i].commit, log[i+1].commit, true
		}
	}
	return "", "", false
}
