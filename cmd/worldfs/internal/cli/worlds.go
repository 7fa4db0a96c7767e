package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/internal/worldtree/worldform"
)

// WorldNames is the part of a command's help that says which worlds it takes.
const WorldNames = `A world is named by its form: a .pack, a .jsonl or .jsonl.gz, a world
directory, a directory of plain files, git:REV, svn:BASE or svn:REV.
`

// ReportUnread says which entities of a world could not be read.
func ReportUnread(cmd *cobra.Command, name string, w *worldform.World) {
	for _, id := range w.Unread() {
		fmt.Fprintf(cmd.ErrOrStderr(), "worldfs: %s: entity %d does not parse; it counts as not changed there\n", name, id)
	}
}
