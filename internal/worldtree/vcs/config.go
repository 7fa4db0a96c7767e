package vcs

import (
	"context"
	"strings"
)

// Config returns the settings of this clone whose keys, in lower case but for the middle
// part, match a regular expression, with their values.
func (g Git) Config(keys string) (map[string][]string, error) {
	ctx := context.Background()
	r, err := g.open(ctx)
	if err != nil {
		return nil, err
	}
	cmd := r.git(ctx, "config", "--local", "-z", "--get-regexp", keys)
	out, err := cmd.Text()
	if err != nil {
		if state := cmd.ProcessState; state != nil && state.ExitCode() == 1 {
			return nil, nil // there is none
		}
		return nil, err
	}
	settings := make(map[string][]string)
	for setting := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		key, value, _ := strings.Cut(setting, "\n")
		settings[key] = append(settings[key], value)
	}
	return settings, nil
}
