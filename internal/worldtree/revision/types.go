package revision

import (
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/worldform"
)

// CommittedTypes returns the types as they were last committed, and the revision's name: ""
// where nothing of the world is committed.
func (n *Namer) CommittedTypes(o worldform.Options) (types *entity.Types, name string, findings []entity.Finding, err error) {
	if name = n.last(); name == "" {
		return nil, "", nil, nil
	}
	types, findings, err = worldform.OpenTypes(name, o)
	if isNowhere(err) {
		return nil, "", nil, nil
	}
	return types, name, findings, err
}

// Name returns what package worldform calls the world of a name that people give.
func (n *Namer) Name(name string) (string, error) { return n.name(name) }

// last returns the name of the revision that was committed last, "" without version control.
func (n *Namer) last() string {
	switch n.system() {
	case ofGit:
		return "git:HEAD"
	case ofSVN:
		return "svn:BASE"
	}
	return ""
}
