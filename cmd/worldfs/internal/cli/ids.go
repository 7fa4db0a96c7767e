package cli

import (
	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/entity"
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
