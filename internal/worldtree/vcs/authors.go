package vcs

import (
	"context"
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
	out, err := r.git(ctx, append(append(args, "--"), names...)...).output()
	if err != nil {
		return nil, err
	}
	commits := make(map[string]Commit)
	var now Commit
	for line := range strings.SplitSeq(string(out), "\n") {
		if head, ok := strings.CutPrefix(line, "\x00"); ok {
			author, at, _ := strings.Cut(head, "\x00")
			seconds, err := strconv.ParseInt(at, 10, 64)
			if err != nil {
				continue
			}
			now = Commit{author, time.Unix(seconds, 0)}
			continue
		}
		if _, known := commits[line]; line != "" && !known {
			commits[line] = now
		}
	}
	return commits, nil
}
