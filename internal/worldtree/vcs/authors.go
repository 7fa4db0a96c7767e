package vcs

import (
	"context"
	"iter"
	"maps"
	"strconv"
	"strings"
	"time"
)

// Commit is by whom a file was changed, and when.
type Commit struct {
	Author string
	Time   time.Time
}

// Authors returns the last commit of each file after base and up to rev. With no base
// it is any commit before rev.
func (g Git) Authors(base, rev string, names []string) (map[string]Commit, error) {
	ctx := context.Background()
	r, err := g.open(ctx)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	args := []string{"log", "-m", "--first-parent", "--format=%x00%an%x00%at", "--name-only", "--relative", rev}
	if base != "" {
		args = append(args, "^"+base)
	}
	out, err := r.git(ctx, append(append(args, "--"), names...)...).Text()
	if err != nil {
		return nil, err
	}
	commits := make(map[string]Commit)
	for name, c := range commitsIn(string(out)) {
		if _, known := commits[name]; !known {
			commits[name] = c
		}
	}
	return commits, nil
}

// Creators returns the first commit of each file that was made after the bases and up to
// rev.
func (g Git) Creators(bases []string, rev string, names []string) (map[string]Commit, error) {
	ctx := context.Background()
	r, err := g.open(ctx)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	args := []string{"log", "--no-renames", "--diff-filter=A", "--format=%x00%an%x00%at", "--name-only", "--relative", rev}
	for _, base := range bases {
		args = append(args, "^"+base)
	}
	out, err := r.git(ctx, append(append(args, "--"), names...)...).Text()
	if err != nil {
		return nil, err
	}
	commits := make(map[string]Commit)
	maps.Insert(commits, commitsIn(string(out))) // the first one comes last
	return commits, nil
}

// commitsIn returns the files in a log and the commits that they are in, the newest first.
func commitsIn(log string) iter.Seq2[string, Commit] {
	return func(yield func(string, Commit) bool) {
		var now Commit
		for line := range strings.SplitSeq(log, "\n") {
			if head, ok := strings.CutPrefix(line, "\x00"); ok {
				author, at, _ := strings.Cut(head, "\x00")
				seconds, err := strconv.ParseInt(at, 10, 64)
				if err == nil {
					now = Commit{author, time.Unix(seconds, 0)}
				}
				continue
			}
			if line != "" && !yield(line, now) {
				return
			}
		}
	}
}
