package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
	"github.com/worldfs/worldfs/packfile"
)

// ParseIDs reads a command's IDs.
func ParseIDs(args []string) ([]entity.ID, error) {
	ids := make([]entity.ID, len(args))
	for i, arg := range args {
		id, err := entity.ParseID(arg)
		if err != nil {
			return nil, Usagef("%v", err)
		}
		ids[i] = id
	}
	return ids, nil
}

// OfEntity is a command about one entity, whose ID is its only argument.
func OfEntity(run func(cmd *cobra.Command, id entity.ID) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		ids, err := ParseIDs(args)
		if err != nil {
			return err
		}
		return run(cmd, ids[0])
	}
}

// maxCompletions is how many IDs a shell is offered.
const maxCompletions = 200

// CompleteIDs offers the IDs of the published pack that begin as typed.
func CompleteIDs(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	from, _ := cmd.Flags().GetString("directory")
	dir, err := worlddir.Find("./" + from)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	pack, err := packfile.ReadFile(dir.PackPath())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var offers []string
	for e := range pack.All() {
		if id := e.ID.String(); strings.HasPrefix(id, typed) {
			offers = append(offers, fmt.Sprintf("%s\t%s %s", id, e.Type(), e.Name()))
		}
		if len(offers) == maxCompletions {
			break
		}
	}
	return offers, cobra.ShellCompDirectiveNoFileComp
}
