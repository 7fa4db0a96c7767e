package gitsetup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/worldfs/worldfs/internal/storage/disk"
)

// The attributes stand in info/attributes of the clone and not in a .gitattributes: so they
// hold in commits from before, too, which a rebase or a cherry-pick goes through, and a
// clone has them and the driver that they name together. They come first in the file, so
// whatever else stands there counts before them.

const attributesEnd = "# worldfs: end\n"

func (s *Setup) attributesPath() string { return filepath.Join(s.places.Common, "info", "attributes") }

// attributesBegin is the line before a world's attributes.
func (s *Setup) attributesBegin() string {
	return "# worldfs vcs install: " + strconv.Quote(s.world) + "\n"
}

// attributes returns the lines for the world.
func (s *Setup) attributes() string {
	var b strings.Builder
	b.WriteString(s.attributesBegin())
	for _, line := range [][2]string{
		{"entities/**/*.entity_text", "merge=worldfs diff=worldfs"},
		{"types/*.toml", "merge=worldfs"}, {"world.toml", "merge=worldfs"}, {"id_ranges", "merge=worldfs"},
	} {
		fmt.Fprintf(&b, "%s %s\n", s.pattern(line[0]), line[1])
	}
	b.WriteString(attributesEnd)
	return b.String()
}

// literal makes a pattern of a path that stands for nothing else.
var literal = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)

// pattern returns a pattern of files in the world, as git reads it: between double quotes
// where a path has what would end the pattern.
func (s *Setup) pattern(files string) string {
	p := path.Join("/", literal.Replace(s.world)) + "/" + files
	p = path.Clean(p)
	if !strings.ContainsAny(p, " \t\"\\") {
		return p
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\t", `\t`).Replace(p) + `"`
}

// readAttributes returns the file and where in it the world's attributes are, 0, 0 where
// they are not.
func (s *Setup) readAttributes() (text string, from, to int, err error) {
	data, err := os.ReadFile(s.attributesPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", 0, 0, fmt.Errorf("read git's attributes: %w", err)
	}
	text = string(data)
	begin := s.attributesBegin()
	from = strings.Index("\n"+text, "\n"+begin)
	if from < 0 {
		return text, 0, 0, nil
	}
	length := strings.Index(text[from:], attributesEnd)
	if length < 0 {
		return text, 0, 0, fmt.Errorf("%s: the line %q that ends worldfs's part is missing: put it there, or take that part out",
			s.attributesPath(), strings.TrimSpace(attributesEnd))
	}
	return text, from, from + length + len(attributesEnd), nil
}

func (s *Setup) hasAttributes() (bool, error) {
	text, from, to, err := s.readAttributes()
	return err == nil && text[from:to] == s.attributes(), err
}

func (s *Setup) installAttributes(c *Changes, _ string) error {
	text, from, to, err := s.readAttributes()
	if err != nil || text[from:to] == s.attributes() {
		return err
	}
	c.did("what they are for, in %s", s.attributesPath())
	return s.writeAttributes(text[:from] + s.attributes() + text[to:])
}

func (s *Setup) uninstallAttributes(c *Changes) error {
	text, from, to, err := s.readAttributes()
	if err != nil || from == to {
		return err
	}
	c.did("what they are for, out of %s", s.attributesPath())
	if text = text[:from] + text[to:]; text != "" {
		return s.writeAttributes(text)
	}
	if err := os.Remove(s.attributesPath()); err != nil {
		return err
	}
	_ = os.Remove(filepath.Dir(s.attributesPath())) // only if there is nothing else in it
	return nil
}

func (s *Setup) writeAttributes(text string) error {
	path := s.attributesPath()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return fmt.Errorf("write git's attributes: %w", err)
	}
	mode := fs.FileMode(0o666)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
		if info, err := os.Stat(path); err == nil {
			mode = info.Mode().Perm()
		}
	}
	return (&disk.Disk{}).WriteAtomic("git's attributes", path, []byte(text), mode)
}
