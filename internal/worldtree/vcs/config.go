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
	return r.config(ctx, "--local", keys)
}

// config is Config of a scope, "" for all of them.
func (r *repository) config(ctx context.Context, scope, keys string) (map[string][]string, error) {
	args := []string{"config", "-z", "--get-regexp", keys}
	if scope != "" {
		args = []string{"config", scope, "-z", "--get-regexp", keys}
	}
	cmd := r.git(ctx, args...)
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

// SetConfig changes a setting of this clone.
func (g Git) SetConfig(key, value string) error { return g.changeConfig("--replace-all", key, value) }

// AddConfig adds a value to a setting of this clone.
func (g Git) AddConfig(key, value string) error { return g.changeConfig("--add", key, value) }

// UnsetConfig takes a value of a setting of this clone away.
func (g Git) UnsetConfig(key, value string) error {
	return g.changeConfig("--fixed-value", "--unset-all", key, value)
}

// RemoveConfig takes a section of this clone's settings away.
func (g Git) RemoveConfig(section string) error { return g.changeConfig("--remove-section", section) }

func (g Git) changeConfig(args ...string) error {
	ctx := context.Background()
	r, err := g.open(ctx)
	if err != nil {
		return err
	}
	_, err = r.git(ctx, append([]string{"config", "--local"}, args...)...).Text()
	return err
}
