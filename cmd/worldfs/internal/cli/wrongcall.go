package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Group has a command that is only a name for others refuse what is none of them, with the
// one that may have been meant: cobra would print its help, and report success.
func Group(cmd *cobra.Command) *cobra.Command {
	cmd.SuggestionsMinimumDistance = 2
	cmd.Args = Takes(1, AnyNumber)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			return Usagef("there is no %s %s; did you mean %s %s?", cmd.Name(), args[0], cmd.CommandPath(), near[0])
		}
		var names []string
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				names = append(names, c.Name())
			}
		}
		return Usagef("there is no %s %s; there is %s", cmd.Name(), args[0], strings.Join(names, ", "))
	}
	return cmd
}

// wrongFlag words the error about a flag's value without the functions of Go's library.
func wrongFlag(_ *cobra.Command, err error) error {
	var wrong *pflag.InvalidValueError
	var number *strconv.NumError
	if !errors.As(err, &wrong) || !errors.As(err, &number) {
		return err
	}
	want := "a number"
	switch wrong.GetFlag().Value.Type() {
	case "bool":
		want = "true or false"
	case "int":
		want = "a whole number"
	case "uint64":
		want = "a whole number from 0 on"
	}
	if errors.Is(number.Err, strconv.ErrRange) {
		return fmt.Errorf("--%s: %s is too large", wrong.GetFlag().Name, wrong.GetValue())
	}
	return fmt.Errorf("--%s: %q is not %s", wrong.GetFlag().Name, wrong.GetValue(), want)
}

// canBeEmpty are the flags whose empty value says something: that a setting of world.toml
// does not count.
var canBeEmpty = []string{"cover", "role", "shape"}

// checkEmpty refuses flags with an empty value. It is that of a script's variable that was
// not set; taken for a flag that is not given, it would have the command do more than was
// asked for.
func checkEmpty(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		given, list := f.Value.(pflag.SliceValue)
		empty := f.Value.Type() == "string" && f.Value.String() == "" || list && strings.Join(given.GetSlice(), "") == ""
		if err == nil && empty && !slices.Contains(canBeEmpty, f.Name) {
			err = Usagef("--%s needs a value that is not empty", f.Name)
		}
	})
	return err
}
