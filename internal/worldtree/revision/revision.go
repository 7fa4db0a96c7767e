// Package revision finds out which worlds a person means by revisions named as git and svn
// name them, or says nothing:
//
//	            what changed here since the last commit
//	A           from A to what is here
//	A B         from A to B
//	A..B        the same, of git's revisions
//	A...B       from where both come from to B; what is left out is HEAD
//
// A and B are names of package worldform, or of revisions: main, v1.2, HEAD~3 and 5f3c2a1
// are git's, 1234 and {2024-12-31} svn's, whichever the world lies in. A file or directory
// of that name comes first, as every command takes it; git:NAME is never a file. svn:PREV
// is the world before the last commit that the working copy knows of, svn:COMMITTED after
// it.
//
// The package changes nothing, neither in the world nor in the repository, beyond what
// opening a world does.
package revision

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
)

// Names are what two worlds are called, as package worldform has them. A name is "" for a
// world without entities.
type Names struct{ From, To string }

// Namer finds out what names mean.
type Namer struct {
	Dir  string       // the world's directory, absolute, or where the command was run if there is none
	Note func(string) // told what the person may not have meant; may be nil
}

// Pair returns the names of the two worlds that one name or two stand for. An error of
// vcs.ErrNoRevision or worldform.ErrNoWorld says that there is no such world.
func (n *Namer) Pair(names ...string) (Names, error) {
	if len(names) == 1 {
		if from, to, three, ok := n.cut(names[0]); ok {
			return n.between(from, to, three)
		}
		names = append(names, n.Dir)
	}
	from, err := n.name(names[0])
	if err != nil {
		return Names{}, err
	}
	to, err := n.name(names[1])
	return Names{from, to}, err
}

// cut cuts A..B or A...B in two. No revision of git's has two points in its name; a path
// may.
func (n *Namer) cut(name string) (from, to string, three, ok bool) {
	revs, said := strings.CutPrefix(name, "git:")
	if !said && (exists(name) || strings.ContainsAny(name[:1], "./")) && !strings.HasPrefix(name, "...") {
		return "", "", false, false
	}
	if from, to, ok = strings.Cut(revs, "..."); ok {
		three = true
	} else if from, to, ok = strings.Cut(revs, ".."); !ok {
		return "", "", false, false
	}
	return or(from, "HEAD"), or(to, "HEAD"), three, true
}

func or(name, instead string) string {
	if name == "" {
		return instead
	}
	return name
}

// between returns the worlds of two revisions of git's, or of where both come from and the
// second.
func (n *Namer) between(from, to string, three bool) (Names, error) {
	git := vcs.Git{Dir: n.Dir}
	a, err := git.Resolve(from)
	if err != nil {
		return Names{}, err
	}
	b, err := git.Resolve(strings.TrimPrefix(to, "git:"))
	if err != nil {
		return Names{}, err
	}
	if !three {
		return Names{"git:" + a, "git:" + b}, nil
	}
	bases, err := git.MergeBases(a, b)
	if err != nil {
		return Names{}, err
	}
	if len(bases) == 0 {
		return Names{}, fmt.Errorf("%s and %s have no commit in common: %w that both come from", from, to, vcs.ErrNoRevision)
	}
	if len(bases) > 1 {
		n.note(fmt.Sprintf("%s and %s come from %d commits that are equally near; compared with %s", from, to, len(bases), bases[0]))
	}
	return Names{"git:" + bases[0], "git:" + b}, nil
}

// name returns what package worldform calls the world of a name.
func (n *Namer) name(name string) (string, error) {
	if rev, ok := strings.CutPrefix(name, "svn:"); ok {
		return n.svn(rev)
	}
	if strings.HasPrefix(name, "git:") {
		return name, nil
	}
	if worldform.IsFile(name) {
		return name, nil
	}
	if exists(name) {
		n.noteAlso(name)
		return name, nil
	}
	return n.revision(name)
}

// noteAlso says that a name which was taken for a directory is a branch's or a tag's, too.
func (n *Namer) noteAlso(name string) {
	if strings.ContainsAny(name[:1], "./") {
		return
	}
	git := vcs.Git{Dir: n.Dir}
	if _, err := git.Resolve(name); err == nil {
		n.note(fmt.Sprintf("%s is taken for the directory of that name; the revision is git:%s", name, name))
	}
}

func (n *Namer) note(text string) {
	if n.Note != nil {
		n.Note(text)
	}
}

// revision returns the world of a revision without its prefix.
func (n *Namer) revision(name string) (string, error) {
	switch n.system() {
	case ofGit:
		_, err := vcs.Git{Dir: n.Dir}.Resolve(name)
		if err == nil {
			return "git:" + name, nil
		}
		if !errors.Is(err, vcs.ErrNoRevision) && !errors.Is(err, vcs.ErrRevisionName) {
			return "", err
		}
	case ofSVN:
		if vcs.IsSVNRevision(name) || name == prev || name == committed {
			return n.svn(name)
		}
	}
	return "", fmt.Errorf("%s: %w: it is no file, no directory and no revision here (a world is a .pack, a .jsonl, a directory, git:REV, svn:BASE or svn:REV)",
		name, worldform.ErrNoWorld)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
