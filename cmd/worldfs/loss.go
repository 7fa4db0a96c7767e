package main

import "github.com/spf13/cobra"

const allowLossFlag = "allow-loss"

// statusOfLoss is the exit status of commands that refuse a great loss.
const statusOfLoss = "most entities are gone (see --allow-loss)"

// addAllowLoss adds the flag without which a command publishes no great loss.
func addAllowLoss(cmd *cobra.Command) {
	cmd.Flags().Bool(allowLossFlag, false, "publish it even if most entities are gone: over half and at least 100, or all")
}

// allowsLoss reports whether the call has it.
func allowsLoss(cmd *cobra.Command) bool {
	f := cmd.Flags().Lookup(allowLossFlag)
	return f != nil && f.Value.String() == "true"
}
