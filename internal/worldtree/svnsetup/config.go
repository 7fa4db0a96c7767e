package svnsetup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/worldtree/ownpart"
)

// The settings of the section helpers, and the scripts that they name.
const (
	diff3Key = "diff3-cmd"
	mergeKey = "merge-tool-cmd"

	diff3Script = "worldfs-diff3"
	mergeScript = "worldfs-merge"
)

var helpers = []struct{ key, script string }{{diff3Key, diff3Script}, {mergeKey, mergeScript}}

// systemConfig counts where the person's has nothing.
const systemConfig = "/etc/subversion/config"

const scriptMark = "# Made by worldfs vcs install; worldfs vcs uninstall takes it away."

// scripts are what svn runs. An exit status of 0 or 1 is the answer; else, also where the
// program is gone, the file is diff3's.
var scripts = map[string]string{
	diff3Script: `#!/bin/sh
` + scriptMark + `
` + WorldsVariable + `=WORLDS
export ` + WorldsVariable + `
w=PROGRAM
[ -x "$w" ] || w=worldfs
"$w" vcs diff3 "$@"
s=$?
[ $s -gt 1 ] || exit $s
exec diff3 "$@"
`,
	mergeScript: `#!/bin/sh
` + scriptMark + `
w=PROGRAM
[ -x "$w" ] || w=worldfs
exec "$w" vcs merge-tool "$@"
`,
}

func (s *Setup) script(name string) string { return filepath.Join(s.config, name) }

// part is what is ours of the person's config. svn puts sections of one name together, and
// of one setting the last counts: so what stands in the rest of the file goes before.
func (s *Setup) part() ownpart.Part {
	return ownpart.Part{
		What: "svn's config", Path: filepath.Join(s.config, "config"),
		Begin: "### worldfs vcs install: begin\n", End: "### worldfs vcs install: end\n",
	}
}

// others returns what the rest of the config, or the system's, says of the helpers.
func (s *Setup) others() (map[string]string, error) {
	around, err := s.part().Around()
	if err != nil {
		return nil, err
	}
	said := helpersOf(around)
	system, err := os.ReadFile(systemConfig)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return said, nil // svn cannot read it either
	}
	for key, value := range helpersOf(string(system)) {
		if said[key] == "" {
			said[key] = value
		}
	}
	return said, nil
}

// said returns which of our scripts the config names, and others' tools.
func (s *Setup) said() (map[string]string, error) {
	said, err := s.others()
	if err != nil {
		return nil, err
	}
	own, err := s.part().Text()
	for key, value := range helpersOf(own) {
		if said[key] == "" {
			said[key] = value
		}
	}
	return said, err
}

// helpersOf returns the settings in the sections helpers of a config.
func helpersOf(text string) map[string]string {
	said, section := make(map[string]string), ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case line == "" || line[0] == '#' || line[0] == ' ' || line[0] == '\t': // a comment, or it goes on
		case line[0] == '[':
			section, _, _ = strings.Cut(strings.ToLower(line[1:]), "]")
		default:
			if i := strings.IndexAny(line, "=:"); i >= 0 && section == "helpers" {
				said[strings.ToLower(strings.TrimSpace(line[:i]))] = strings.TrimSpace(line[i+1:])
			}
		}
	}
	return said
}

// Plan returns what InstallConfig writes, in words.
func (s *Setup) Plan() ([]string, error) {
	others, err := s.others()
	if err != nil {
		return nil, err
	}
	var plan []string
	for _, h := range helpers {
		switch have := others[h.key]; have {
		case "":
			plan = append(plan, fmt.Sprintf("%s: %s = %s", s.part().Path, h.key, s.script(h.script)))
		case s.script(h.script):
		default:
			plan = append(plan, fmt.Sprintf("%s: %s is %s already, and stays", s.part().Path, h.key, have))
		}
	}
	return plan, nil
}

// IsCurrent reports whether InstallConfig would change nothing.
func (s *Setup) IsCurrent(program string) (bool, error) {
	for _, h := range helpers {
		if !s.isScript(h.script, program) {
			return false, nil
		}
	}
	want, err := s.wanted()
	if err != nil {
		return false, err
	}
	have, err := s.part().Text()
	if want == "" {
		return have == "", err
	}
	return have == s.part().Begin+want+s.part().End, err
}

// wanted returns our part of the config, between its first and last line; "" where the rest
// says everything.
func (s *Setup) wanted() (string, error) {
	others, err := s.others()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, h := range helpers {
		if others[h.key] == "" {
			fmt.Fprintf(&b, "%s = %s\n", h.key, s.script(h.script))
		}
	}
	if b.Len() == 0 {
		return "", nil
	}
	return "### For all working copies: files of worlds are merged by property, others by diff3.\n[helpers]\n" + b.String(), nil
}

// InstallConfig has svn run a program for diff3-cmd and as its merge tool, wherever it is
// set to no other.
func (s *Setup) InstallConfig(c *Changes, program string) error {
	if err := s.InstallScripts(c, program); err != nil {
		return err
	}
	others, err := s.others()
	if err != nil {
		return err
	}
	for _, h := range helpers {
		if have := others[h.key]; have != "" && have != s.script(h.script) {
			c.ByHand = append(c.ByHand, fmt.Sprintf("%s is %s in svn's config, and stays; for svn to merge by property set it to %s", h.key, have, s.script(h.script)))
		}
	}
	between, err := s.wanted()
	if err != nil {
		return err
	}
	var changed bool
	if between == "" {
		changed, err = s.part().Remove()
	} else {
		changed, err = s.part().Put(between)
	}
	if changed && err == nil {
		c.Did("diff3-cmd and the merge tool, in %s: for all your working copies", s.part().Path)
	}
	return err
}

// InstallScripts puts the scripts beside the config.
func (s *Setup) InstallScripts(c *Changes, program string) error {
	if _, err := exec.LookPath("diff3"); err != nil {
		return errors.New("diff3 is not installed, which is to merge what is no world's: it is in the package diffutils")
	}
	if err := os.MkdirAll(s.config, 0o700); err != nil {
		return fmt.Errorf("install scripts for svn: %w", err)
	}
	for _, h := range helpers {
		if s.isScript(h.script, program) {
			continue
		}
		if exists(s.script(h.script)) && !s.hasScript(h.script) {
			return fmt.Errorf("%s is there, and not worldfs's: move it away", s.script(h.script))
		}
		if err := s.writeScript(h.script, program, s.worldsWith()); err != nil {
			return err
		}
		c.Did("the script %s", s.script(h.script))
	}
	return s.writeRecord()
}

func (s *Setup) writeScript(name, program string, worlds []string) error {
	return (&disk.Disk{}).WriteAtomic("script for svn", s.script(name), scriptText(name, program, worlds), 0o755)
}

func scriptText(name, program string, worlds []string) []byte {
	return []byte(strings.NewReplacer(
		"=WORLDS\n", "="+ownpart.Quoted(strings.Join(worlds, "\n"))+"\n", "=PROGRAM\n", "="+ownpart.Quoted(program)+"\n",
	).Replace(scripts[name]))
}

func (s *Setup) isScript(name, program string) bool {
	text, err := os.ReadFile(s.script(name))
	return err == nil && string(text) == string(scriptText(name, program, s.worldsWith()))
}

func (s *Setup) hasScript(name string) bool {
	text, err := os.ReadFile(s.script(name))
	return err == nil && strings.Contains(string(text), "\n"+scriptMark+"\n")
}

// worlds returns the worlds that the script was installed for.
func (s *Setup) worlds() (roots []string) {
	for root := range strings.SplitSeq(s.assigned(diff3Script, WorldsVariable, "\nexport "), "\n") {
		if root != "" {
			roots = append(roots, root)
		}
	}
	return roots
}

// worldsWith returns them with this one; a path of two lines is none that the script can name.
func (s *Setup) worldsWith() []string {
	roots := s.worlds()
	if !slices.Contains(roots, s.dir.Root) && !strings.Contains(s.dir.Root, "\n") {
		roots = append(roots, s.dir.Root)
	}
	return roots
}

func (s *Setup) programOf(script string) string { return s.assigned(script, "w", "\n[ -x ") }

// assigned returns what a variable is set to in a script of ours, before what follows.
func (s *Setup) assigned(script, variable, next string) string {
	text, err := os.ReadFile(s.script(script))
	if err != nil || !s.hasScript(script) {
		return ""
	}
	_, rest, _ := strings.Cut(string(text), "\n"+variable+"=")
	value, _, _ := strings.Cut(rest, next)
	return ownpart.Unquoted(value)
}

// uninstallConfig takes this world out of the scripts, and with the last one the scripts
// and what the config says.
func (s *Setup) uninstallConfig(c *Changes) error {
	others := slices.DeleteFunc(s.worlds(), func(root string) bool {
		return root == s.dir.Root || !exists(filepath.Join(root, "world.toml"))
	})
	if len(others) > 0 {
		if slices.Contains(s.worlds(), s.dir.Root) {
			c.Did("the world, out of %s; the rest stays for %s", s.script(diff3Script), strings.Join(others, ", "))
			return s.writeScript(diff3Script, s.programOf(diff3Script), others)
		}
		return nil
	}
	removed, err := s.part().Remove()
	if err != nil {
		return err
	}
	if removed {
		c.Did("diff3-cmd and the merge tool, out of %s", s.part().Path)
	}
	said, err := s.others()
	if err != nil {
		return err
	}
	for _, h := range helpers {
		if said[h.key] == s.script(h.script) {
			c.ByHand = append(c.ByHand, fmt.Sprintf("%s in %s is set by hand to %s, which is gone now: take that line out", h.key, s.part().Path, s.script(h.script)))
		}
		if !s.hasScript(h.script) {
			continue
		}
		if err := os.Remove(s.script(h.script)); err != nil {
			return fmt.Errorf("take the script for svn away: %w", err)
		}
		c.Did("the script %s", s.script(h.script))
	}
	_ = os.Remove(s.config) // only if there is nothing in it
	return nil
}

// ShellFunction returns a function for a shell by which svn, called there, runs the scripts.
func (s *Setup) ShellFunction() string {
	var b strings.Builder
	b.WriteString("# svn that merges files of worlds by property; of bash, zsh, dash and ksh.\nsvn() {\n")
	fmt.Fprintf(&b, "\t[ -x %s ] || { command svn \"$@\"; return; }\n\tcommand svn", ownpart.Quoted(s.script(diff3Script)))
	for _, h := range helpers {
		fmt.Fprintf(&b, " \\\n\t\t--config-option config:helpers:%s=%s", h.key, ownpart.Quoted(s.script(h.script)))
	}
	b.WriteString(" \"$@\"\n}\n")
	return b.String()
}
