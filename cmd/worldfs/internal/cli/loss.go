package cli

import "github.com/spf13/cobra"

// AllowLossFlag is the name of the flag of [AddAllowLoss].
const AllowLossFlag = "allow-loss"

// StatusOfLoss is the exit status of commands that refuse a great loss.
const StatusOfLoss = "most entities are gone (see --allow-loss)"

// AddAllowLoss adds the flag without which a command publishes no great loss.
func AddAllowLoss(cmd *cobra.Command) {
	cmd.Flags().Bool(AllowLossFlag, false, "publish it even if most entities are gone: over half and at least 100, or all")
}

// AllowsLoss reports whether the call has it.
func AllowsLoss(cmd *cobra.Command) bool {
	f := cmd.Flags().Lookup(AllowLossFlag)
	return f != nil && f.Value.String() == "true"
}
