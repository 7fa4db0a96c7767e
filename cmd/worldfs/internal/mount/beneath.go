package mount

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/internal/mounting/plaintree"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// sayBeneath says what became of the files that programs which did not see the mount have put
// into entities/ meanwhile, "" where there were none.
func sayBeneath(dir *worlddir.Dir, b plaintree.Beneath) string {
	const most = 5
	var text strings.Builder
	for _, r := range b.Taken {
		fmt.Fprintf(&text, "what was saved beneath the mount came in: %s (worldfs history; worldfs status)\n", sayTaken(r))
	}
	for _, name := range b.Others[:min(len(b.Others), most)] {
		fmt.Fprintf(&text, "%s was put beneath the mount, and is there now\n",
			filepath.Join(dir.EntitiesPath(), filepath.FromSlash(name)))
	}
	if n := len(b.Others) - most; n > 0 {
		fmt.Fprintf(&text, "and %s\n", cli.Counted(n, "other file", "other files"))
	}
	return text.String()
}

func sayTaken(r cache.Report) string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{
		{r.Created, "created"}, {r.Changed, "changed"}, {r.Deleted, "deleted"},
		{r.Broken, "that cannot be read"}, {len(r.Conflicts), "in conflict with changes in the mount"},
	} {
		if p.n > 0 {
			parts = append(parts, cli.Count(p.n)+" "+p.what)
		}
	}
	return strings.Join(parts, ", ")
}
