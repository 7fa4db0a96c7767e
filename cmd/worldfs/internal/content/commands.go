// Package content has the commands about what is in a world, and about the forms that it
// takes: making one, listing, showing and checking entities, the interchange form, packs and
// plain files.
package content

import (
	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
)

// Commands returns the commands about what is in a world.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{
		newInitCommand(a),
		newDemoCommand(a),
		newImportCommand(a),
		newExportCommand(a),
		newPackCommand(a),
		newUnpackCommand(a),
		newShardCommand(a),
		newLsCommand(a),
		newFindCommand(a),
		newShowCommand(a),
		newTypesCommand(a),
		newRefsCommand(a),
		newCheckCommand(a),
		newFmtCommand(a),
		newExpressionsTopic(),
	}
}
