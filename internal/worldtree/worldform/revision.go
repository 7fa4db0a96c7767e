package worldform

import (
	"fmt"

	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

// openRevision opens the world directory as svn had it at a revision.
func openRevision(reader vcs.Reader, rev, dir string, o Options) (*World, error) {
	r, err := readTexts(reader.Files(textQuery(rev)), o)
	if err != nil {
		return nil, err
	}
	if r.files == 0 {
		return nil, noWorldAt(rev, dir)
	}
	return r.world, nil
}

func noWorldAt(rev, dir string) error {
	return fmt.Errorf("revision %s: %w at %s: it has no world.toml, no types and no entities there", rev, ErrNoWorld, dir)
}
