package rangecheck

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"

	"github.com/worldfs/worldfs/internal/support/tool"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// age is when a line of id_ranges came to others.
type age struct {
	rank ranking
	time int64 // git's, of the commit; svn's revision
}

// ranking says how far a line is known.
type ranking int

const (
	isPublished ranking = iota
	isCommitted         // here, and not elsewhere as far as is known
	isNew
)

func (a age) compare(b age) int {
	return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.time, b.time))
}

// agesOf returns the ages of the lines, by their numbers. Without version control there are none.
func agesOf(dir *worlddir.Dir) (map[int]age, error) {
	switch {
	case dir.WorkingCopy(".git") != "":
		return agesInGit(vcs.Git{Dir: dir.Root})
	case dir.WorkingCopy(".svn") != "":
		return agesInSVN(dir.Root)
	}
	return nil, nil
}

func agesInGit(git vcs.Git) (map[int]age, error) {
	caller, err := git.Caller()
	if err != nil {
		return nil, err
	}
	out, err := caller.Call(nil, "blame", "--line-porcelain", "--", worlddir.RangesName)
	if tool.Says(err, "no such path", "no such ref") {
		return nil, nil // nothing of it was ever committed
	}
	if err != nil {
		return nil, err
	}
	ages := make(map[int]age)
	published := make(map[string]bool)
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) < 3 {
			continue // the headers of a commit are read below
		}
		line, err := strconv.Atoi(words[2])
		if err != nil {
			continue
		}
		a, commit := age{rank: isNew}, words[0]
		for lines.Scan() && !strings.HasPrefix(lines.Text(), "\t") {
			if time, ok := strings.CutPrefix(lines.Text(), "committer-time "); ok {
				a.time, _ = strconv.ParseInt(time, 10, 64) // git wrote it
			}
		}
		if strings.Trim(commit, "0") != "" {
			if _, asked := published[commit]; !asked {
				published[commit] = git.IsPublished(commit)
			}
			if a.rank = isCommitted; published[commit] {
				a.rank = isPublished
			}
		}
		ages[line] = a
	}
	return ages, nil
}

func agesInSVN(root string) (map[int]age, error) {
	env := tool.Environment(nil, "LC_ALL=C.UTF-8", "LANGUAGE=")
	out, err := tool.New(context.Background(), root, env, "svn", "blame", "--non-interactive", "--xml", worlddir.RangesName).Text()
	if tool.Says(err, "155010", "195002") {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var blame struct {
		Entries []struct {
			Line   int `xml:"line-number,attr"`
			Commit struct {
				Revision int64 `xml:"revision,attr"`
			} `xml:"commit"`
		} `xml:"target>entry"`
	}
	if err := xml.Unmarshal(out, &blame); err != nil {
		return nil, fmt.Errorf("svn blame printed what cannot be read: %w", err)
	}
	ages := make(map[int]age)
	for _, e := range blame.Entries {
		if ages[e.Line] = (age{isPublished, e.Commit.Revision}); e.Commit.Revision == 0 {
			ages[e.Line] = age{rank: isNew}
		}
	}
	return ages, nil
}
