package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/internal/worldtree/worldform"
)

// tellUnread says which entities of a world could not be read.
func tellUnread(cmd *cobra.Command, name string, w *worldform.World) {
	for _, id := range w.Unread() {
		fmt.Fprintf(cmd.ErrOrStderr(), "worldfs: %s: entity %d does not parse; it counts as not changed there\n", name, id)
	}
}
