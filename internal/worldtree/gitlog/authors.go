package gitlog

import (
	"iter"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

// Authors returns the last commit of each file that was made after the bases and up to rev. With
// no base it is any commit before rev.
func Authors(git vcs.Git, bases []string, rev string, names []string) (map[string]vcs.Commit, error) {
	all, err := commits(git, append([]string{"-m", "--first-parent", rev}, after(bases)...), names)
	if err != nil {
		return nil, err
	}
	last := make(map[string]vcs.Commit)
	for name, c := range all {
		if _, known := last[name]; !known {
			last[name] = c
		}
	}
	return last, nil
}

// Creators returns the first commit of each file that was made after the bases and up to
// rev.
func Creators(git vcs.Git, bases []string, rev string, names []string) (map[string]vcs.Commit, error) {
	all, err := commits(git, append([]string{"--no-renames", "--diff-filter=A", rev}, after(bases)...), names)
	if err != nil {
		return nil, err
	}
	first := make(map[string]vcs.Commit)
	maps.Insert(first, all) // the first one comes last
	return first, nil
}

// after returns the options for what is in no base.
func after(bases []string) (options []string) {
	for _, base := range bases {
		options = append(options, "^"+base)
	}
	return options
}

// commits reads git's log, by options, of files: the files and the commits that they are in, the
// newest first. Without names there are none.
func commits(git vcs.Git, options, names []string) (iter.Seq2[string, vcs.Commit], error) {
	if len(names) == 0 {
		return func(func(string, vcs.Commit) bool) {}, nil
	}
	log, err := git.Log(append([]string{"--format=%x00%an%x00%at", "--name-only", "--relative"}, options...), names...)
	return commitsIn(log), err
}

// commitsIn returns the files in a log and the commits that they are in, the newest first.
func commitsIn(log string) iter.Seq2[string, vcs.Commit] {
	return func(yield func(string, vcs.Commit) bool) {
		var now vcs.Commit
		for line := range strings.SplitSeq(log, "\n") {
			if head, ok := strings.CutPrefix(line, "\x00"); ok {
				author, at, _ := strings.Cut(head, "\x00")
				seconds, err := strconv.ParseInt(at, 10, 64)
				if err == nil {
					now = vcs.Commit{Author: author, Time: time.Unix(seconds, 0)}
				}
				continue
			}
			if line != "" && !yield(line, now) {
				return
			}
		}
	}
}
