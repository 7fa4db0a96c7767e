package revision

import (
	"errors"
	"fmt"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
)

// system is a version control system.
type system int

const (
	none system = iota
	ofGit
	ofSVN
)

// system returns what the directory is under: of two, that whose own directory is nearer.
func (n *Namer) system() system {
	dir := &worlddir.Dir{Root: n.Dir}
	git, svn := dir.WorkingCopy(".git"), dir.WorkingCopy(".svn")
	switch {
	case git == "" && svn == "":
		if _, err := (vcs.Git{Dir: n.Dir}).Root(); err == nil {
			return ofGit // a bare repository, or GIT_DIR
		}
		return none
	case len(git) >= len(svn):
		return ofGit
	}
	return ofSVN
}

// OpenSinceLast opens the world as it was last committed, and as it is. Where nothing is
// committed, the last published pack stands for that, and where there is none, a world
// without entities. Names has what the worlds are called.
func (n *Namer) OpenSinceLast(dir *worlddir.Dir, o worldform.Options) (a, b *worldform.World, names Names, err error) {
	names.From, names.To = n.last(), dir.Root
	if names.From != "" {
		a, b, err = worldform.OpenPair(names.From, names.To, o)
		if !isNowhere(err) {
			return a, b, names, err
		}
	}
	if exists(dir.PackPath()) {
		n.noteInstead(names.From, "compared with the pack that was published last")
		names.From = dir.PackPath()
		a, b, err = worldform.OpenPair(names.From, names.To, o)
		return a, b, names, err
	}
	n.noteInstead(names.From, "and there is no pack: all is new")
	names.From = ""
	if b, err = worldform.Open(names.To, o); err != nil {
		return nil, nil, names, err
	}
	return &worldform.World{ID: b.ID, Types: b.Types, Source: entity.NewWorld(b.ID, b.Types)}, b, names, nil
}

// isNowhere reports whether nothing of a world is committed.
func isNowhere(err error) bool {
	return errors.Is(err, worldform.ErrNoWorld) || errors.Is(err, vcs.ErrNoRevision) || errors.Is(err, vcs.ErrNoRepository)
}

func (n *Namer) noteInstead(from, instead string) {
	if from == "" {
		n.note("the world is under no version control: " + instead)
		return
	}
	n.note(fmt.Sprintf("nothing of the world is committed at %s: %s", from, instead))
}
