package worlddir

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/internal/storage/disk"
	"github.com/worldfs/worldfs/internal/storage/osfile"
)

// ignored are the names in the world directory that no version control should
// see.
var ignored = []string{packName, ShipPackName, ShipMapName, ".*.pack.*", stateName} // the third: packs being written

// ShipPackName is what the pack of a ship build is called by default.
const ShipPackName = "ship.pack"

// ShipMapName is what its map is called.
const ShipMapName = ShipPackName + ".map"

// NotMounted is the file that stands in entities/ under a mount.
const NotMounted = "NOT-MOUNTED.txt"

// workingCopy returns which directory has that name in it, of dir and those
// above it; "" if none has.
func workingCopy(dir, name string) string {
	for {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// WorkingCopy returns the directory, the world's or one above, that has version control's
// own in it under that name, such as .svn; "" if none has.
func (d *Dir) WorkingCopy(name string) string { return workingCopy(d.Root, name) }

// git runs git in a directory, also in another's repository (safe.directory).
// Nothing is run that the repository's configuration names.
func git(dir string, args ...string) ([]byte, error) {
	fixed := []string{"-C", dir, "-c", "safe.directory=*", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false"}
	return exec.Command("git", append(fixed, args...)...).Output()
}

// tracked reports whether version control holds anything at path.
func tracked(path string) bool {
	root := filepath.Dir(path)
	if workingCopy(root, ".git") != "" {
		out, err := git(root, "ls-files", "-z", "--", filepath.Base(path))
		if err == nil && len(out) > 0 {
			return true
		}
	}
	return workingCopy(root, ".svn") != "" && versioned(path)
}

// versioned reports whether svn knows path, and is not to delete it.
func versioned(path string) bool {
	out, err := exec.Command("svn", "info", "--xml", "--non-interactive", path+"@").Output()
	return err == nil && !bytes.Contains(out, []byte("<schedule>delete</schedule>"))
}

// gitLines are what git ignores in a world directory that lies at prefix in its
// repository.
func gitLines(prefix string) (lines []string) {
	for _, name := range append([]string{"entities/" + NotMounted, "entities/" + hiddenScratch, "entities/" + StagingName}, ignored...) {
		lines = append(lines, prefix+name)
	}
	return lines
}

// Exclude has this clone of a git repository ignore what is local, also on
// branches that have no .gitignore. Where git does not work, nothing is done.
func (d *Dir) Exclude() error { return excludeFromGit(d.Root) }

// excludeFromGit has git ignore the same names on branches that have no
// .gitignore, or another one. Where git does not work, nothing is done.
func excludeFromGit(root string) error {
	if workingCopy(root, ".git") == "" {
		return nil
	}
	out, err := git(root, "rev-parse", "--path-format=absolute", "--git-common-dir", "--show-prefix")
	if err != nil {
		return nil
	}
	common, prefix, _ := strings.Cut(strings.TrimSuffix(string(out), "\n"), "\n")
	path := filepath.Join(common, "info", "exclude")
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return fmt.Errorf("tell git what is local: %w", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|osfile.NoFollow, 0o666)
	if err != nil {
		return fmt.Errorf("tell git what is local: %w", err)
	}
	defer f.Close()
	old, err := io.ReadAll(f)
	if err != nil {
		return fmt.Errorf("tell git what is local: %w", err)
	}
	merged := mergeLines(string(old), gitLines("/"+gitPattern.Replace(prefix)))
	if _, err := f.WriteString(strings.TrimPrefix(merged, string(old))); err != nil {
		return fmt.Errorf("tell git what is local: %w", err)
	}
	return nil
}

// gitPattern makes a pattern of a path that stands for nothing else.
var gitPattern = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)

// writeGitignore adds what is missing to .gitignore and keeps what is there.
func writeGitignore(root string) error {
	path := filepath.Join(root, ".gitignore")
	lines := gitLines("/")
	if err := addLines(path, lines); err != nil {
		return fmt.Errorf("tell git what is local: %w", err)
	}
	return nil
}

// hgPattern makes a glob of Mercurial's that stands for one path only.
var hgPattern = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `{`, `\{`, `}`, `\}`)

// writeHgignore does the same where root lies in a Mercurial working copy, whose
// only ignore file is the one at its root. A line that names its own syntax holds
// below any "syntax:" line that stands there.
func writeHgignore(root string) error {
	top := workingCopy(root, ".hg")
	if top == "" {
		return nil
	}
	prefix, err := filepath.Rel(top, root)
	if err != nil {
		return fmt.Errorf("tell hg what is local: %w", err)
	}
	start := "rootglob:"
	if prefix != "." {
		start += hgPattern.Replace(prefix) + "/"
	}
	if err := addLines(filepath.Join(top, ".hgignore"), gitLines(start)); err != nil {
		return fmt.Errorf("tell hg what is local: %w", err)
	}
	return nil
}

// addLines adds to a file those of the lines that it lacks.
func addLines(path string, lines []string) error {
	f, err := disk.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	old, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	merged := mergeLines(string(old), lines)
	_, err = f.WriteString(strings.TrimPrefix(merged, string(old)))
	return err
}

// setSVNIgnore does the same with svn:ignore where root is versioned by svn.
// The note, if any, says what the person has to do.
func setSVNIgnore(root string) (note string, err error) {
	if workingCopy(root, ".svn") == "" {
		return "", nil
	}
	if _, err := exec.LookPath("svn"); err != nil || !versioned(root) {
		return "svn does not know " + root + " yet: worldfs vcs add has it know the world", nil
	}
	old, _ := exec.Command("svn", "propget", "svn:ignore", root+"@").Output()
	text := SVNIgnore(string(old))
	cmd := exec.Command("svn", "propset", "--quiet", "svn:ignore", text, root+"@")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("set svn:ignore: %w: %s", err, strings.TrimSpace(stderr.String()))
	}
	return "", nil
}

// SVNIgnore returns svn:ignore of a world directory with what it lacks.
func SVNIgnore(old string) string { return mergeLines(strings.TrimRight(old, "\n"), ignored) }

// mergeLines returns text with those of the lines added that it lacks.
func mergeLines(text string, lines []string) string {
	have := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for _, line := range lines {
		if slices.Contains(have, line) || slices.Contains(have, line+"/") {
			continue
		}
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		text += line + "\n"
	}
	return text
}
