package gitsetup

import (
	"fmt"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/internal/worldtree/ownpart"
)

// The settings in the clone's config.
const (
	worldKey  = "worldfs.world" // a value a world directory
	driverKey = "merge.worldfs.driver"
)

// driver is what git runs for a file that both sides changed. An exit status of 0 or 1 is
// the driver's answer; else, also where the program is gone, git merges the text. A status
// of more than 128 would end the merge.
const driver = `w=PROGRAM; [ -x "$w" ] || w=worldfs; "$w" vcs merge-driver %O %A %B %L %P; s=$?; [ $s -gt 1 ] || exit $s; ` +
	`git merge-file --quiet --marker-size=%L -L "our side" -L base -L "their side" %A %O %B || exit 1`

// textconv is what git runs for the text of a file that it compares. git puts the file's
// name behind it.
const textconv = `f() { w=PROGRAM; [ -x "$w" ] || w=worldfs; "$w" vcs textconv "$1" 2>/dev/null || cat "$1"; }; f`

// titleLine matches an entity's first line, which git then shows at the head of each hunk.
const titleLine = `^([^ ;0-9<=>|].*)$`

// settings returns what the config is to say, by key.
func settings(program string) [][2]string {
	escaped := strings.ReplaceAll(ownpart.Quoted(program), "%", "%%") // else it begins a placeholder
	return [][2]string{
		{"merge.worldfs.name", "worldfs, by property"},
		{driverKey, strings.ReplaceAll(driver, "PROGRAM", escaped)},
		{"diff.worldfs.textconv", strings.ReplaceAll(textconv, "PROGRAM", ownpart.Quoted(program))},
		{"diff.worldfs.xfuncname", titleLine},
	}
}

// programOf returns the program that a driver as settings makes it runs.
func programOf(driver string) string {
	word, _, _ := strings.Cut(strings.TrimPrefix(driver, "w="), "; [ -x ")
	return strings.ReplaceAll(ownpart.Unquoted(word), "%%", "%")
}

func (s *Setup) installConfig(c *Changes, program string) error {
	said, err := s.git.Config(`^(worldfs|merge\.worldfs|diff\.worldfs)\.`)
	if err != nil {
		return err
	}
	changed := false
	for _, setting := range settings(program) {
		if slices.Equal(said[setting[0]], []string{setting[1]}) {
			continue
		}
		if err := s.changeConfig("--replace-all", setting[0], setting[1]); err != nil {
			return err
		}
		changed = true
	}
	if !slices.Contains(said[worldKey], s.world) {
		if err := s.changeConfig("--add", worldKey, s.world); err != nil {
			return err
		}
		changed = true
	}
	if changed {
		c.Did("the merge driver and the diff driver worldfs, in the clone's config")
	}
	return nil
}

func (s *Setup) uninstallConfig(c *Changes, all bool) error {
	said, err := s.git.Config(`^(worldfs|merge\.worldfs|diff\.worldfs)\.`)
	if err != nil || len(said) == 0 {
		return err
	}
	if !all {
		if !slices.Contains(said[worldKey], s.world) {
			return nil
		}
		c.Did("the world, out of the clone's config; the rest stays for the others in it")
		return s.changeConfig("--fixed-value", "--unset-all", worldKey, s.world)
	}
	for _, section := range []string{"worldfs", "diff.worldfs", "merge.worldfs"} {
		if !hasSection(said, section) {
			continue
		}
		if err := s.changeConfig("--remove-section", section); err != nil {
			return fmt.Errorf("take the section %s out of the clone's config: %w", section, err)
		}
	}
	c.Did("the merge driver and the diff driver worldfs, out of the clone's config")
	return nil
}

func hasSection(said map[string][]string, section string) bool {
	for key := range said {
		if name, ok := strings.CutPrefix(key, section+"."); ok && !strings.Contains(name, ".") {
			return true
		}
	}
	return false
}

// changeConfig changes a setting of this clone.
func (s *Setup) changeConfig(args ...string) error {
	c, err := s.git.Caller()
	if err != nil {
		return err
	}
	_, err = c.Call(nil, append([]string{"config", "--local"}, args...)...)
	return err
}
