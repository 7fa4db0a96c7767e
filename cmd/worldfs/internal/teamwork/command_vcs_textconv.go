package teamwork

import (
	"github.com/spf13/cobra"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/cmd/worldfs/internal/cli"
	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/textcodec"
)

func newTextconvCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "textconv FILE",
		Short:  "Print an entity's text as git compares it",
		Hidden: true,
		Long: `textconv is what git runs, by worldfs vcs install, for the text of an entity
that it compares: values without their bits, and a first line that says which
entity it is.` + cli.ExitStatus(""),
		Args: cli.Takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := disk.ReadFile(args[0], cache.MaxFileSize)
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(textcodec.Readable(text))
			return err
		},
	}
}
