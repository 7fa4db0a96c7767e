package worlddir

import (
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/worldfs/worldfs/disk"
	"github.com/worldfs/worldfs/layout"
)

// shardLine is the setting, or the comment that stands in its place; what
// follows the value is kept.
var shardLine = regexp.MustCompile(`(?m)^(?:#[ \t]*)?shard[ \t]*=[ \t]*(?:"[^"\n]*"|'[^'\n]*')`)

// SetShard sets where in entities/ the entities' files lie, in world.toml; all
// else in it stays as it is. The files themselves are moved by whoever opens
// the world next.
func (d *Dir) SetShard(l layout.Layout) error {
	old, err := os.ReadFile(d.ConfigPath())
	if err != nil {
		return fmt.Errorf("set shard: %w", err)
	}
	text := withShard(string(old), l)
	var check struct {
		Shard string `toml:"shard"`
	}
	if err := toml.Unmarshal([]byte(text), &check); err != nil || check.Shard != l.String() {
		return fmt.Errorf("%s: the setting shard could not be changed; set shard = %q there by hand", d.ConfigPath(), l)
	}
	info, err := os.Stat(d.ConfigPath())
	if err != nil {
		return fmt.Errorf("set shard: %w", err)
	}
	if err := (&disk.Disk{}).WriteAtomic("settings", d.ConfigPath(), []byte(text), info.Mode().Perm()); err != nil {
		return fmt.Errorf("set shard: %w", err)
	}
	d.Settings.Shard = l
	return nil
}

// withShard returns world.toml's text with the setting set. Settings of no
// table come before the first table.
func withShard(text string, l layout.Layout) string {
	setting := fmt.Sprintf("shard = %q", l)
	top, tables := text, ""
	if i := regexp.MustCompile(`(?m)^[ \t]*\[`).FindStringIndex(text); i != nil {
		top, tables = text[:i[0]], text[i[0]:]
	}
	// One that counts goes before one that is a comment.
	var at []int
	for _, found := range shardLine.FindAllStringIndex(top, -1) {
		if at == nil || top[at[0]] == '#' {
			at = found
		}
	}
	if at != nil {
		return top[:at[0]] + setting + top[at[1]:] + tables
	}
	if top != "" && !strings.HasSuffix(top, "\n") {
		top += "\n"
	}
	top += setting + "\n"
	if tables != "" {
		top += "\n"
	}
	return top + tables
}
