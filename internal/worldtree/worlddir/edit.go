package worlddir

import (
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/worldfs/worldfs/internal/storage/disk"
)

// maxConfig is how large a world.toml can be, in bytes.
const maxConfig = 1 << 20

// setSetting sets a setting of no table in world.toml to a TOML value; all else
// in the file stays as it is, what follows the value on its line too.
func (d *Dir) setSetting(key, value string) error {
	if err := d.CheckFormat(); err != nil {
		return err
	}
	path := d.ConfigPath()
	info, err := os.Lstat(path)
	if err != nil {
		return fmt.Errorf("set %s: %w", key, err)
	}
	old, err := disk.ReadFile(path, maxConfig)
	if err != nil {
		return fmt.Errorf("set %s: %w", key, err)
	}
	text := withSetting(string(old), key, value)
	if !says(text, key, value) {
		return fmt.Errorf("%s: the setting %s could not be changed; set %s = %s there by hand", path, key, key, value)
	}
	if err := (&disk.Disk{}).WriteAtomic("settings", path, []byte(text), info.Mode().Perm()); err != nil {
		return d.asReadOnly(fmt.Errorf("set %s: %w", key, err))
	}
	return nil
}

// says reports whether a text is TOML in which the key has that value.
func says(text, key, value string) bool {
	var got, want map[string]any
	return toml.Unmarshal([]byte(text), &got) == nil &&
		toml.Unmarshal([]byte(key+" = "+value), &want) == nil && got[key] == want[key]
}

var firstTable = regexp.MustCompile(`(?m)^[ \t]*\[`)

// withSetting returns world.toml's text with the setting set: where it stands,
// else where a comment stands in its place, else before the first table.
func withSetting(text, key, value string) string {
	setting := key + " = " + value
	top, tables := text, ""
	if i := firstTable.FindStringIndex(text); i != nil {
		top, tables = text[:i[0]], text[i[0]:]
	}
	line := regexp.MustCompile(`(?m)^(?:#[ \t]*)?` + key + `[ \t]*=[ \t]*(?:"[^"\n]*"|'[^'\n]*'|[0-9]+)`)
	var at []int
	for _, found := range line.FindAllStringIndex(top, -1) {
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
