package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// AnyNumber is as many arguments as there are.
const AnyNumber = -1

// Takes checks the number of a command's arguments. Its error says how the
// command is called.
func Takes(fewest, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		var wrong string
		switch {
		case len(args) < fewest && len(args) == 0:
			wrong = cmd.Name() + " needs to be told more"
		case len(args) < fewest:
			wrong = fmt.Sprintf("%s needs more than %q", cmd.Name(), strings.Join(args, " "))
		case most != AnyNumber && len(args) > most:
			wrong = fmt.Sprintf("%s does not take %q", cmd.Name(), args[most])
		case !cmd.Hidden && slices.Contains(args, ""):
			wrong = fmt.Sprintf("%s does not take what is empty", cmd.Name())
		default:
			return nil
		}
		return fmt.Errorf("%s: it is called %s", wrong, cmd.UseLine())
	}
}
