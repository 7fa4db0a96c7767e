package gitsetup

import (
	"fmt"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/worldfs/worldfs/internal/worldtree/ownpart"
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
	for _, line := range [][2]string{
		{"entities/**/*.entity_text", "merge=worldfs diff=worldfs text=auto eol=lf"},
		{"types/*.toml", "merge=worldfs text=auto eol=lf"}, {"world.toml", "merge=worldfs text=auto eol=lf"}, {"id_ranges", "merge=worldfs text=auto eol=lf"},
	} {
		fmt.Fprintf(&b, "%s %s\n", s.pattern(line[0]), line[1])
	}
	return b.String()
}

// literal makes a pattern of a path that stands for nothing else.
var literal = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)

// pattern returns a pattern of files in the world, as git reads it: between double quotes
// where a path has what would end the pattern.
func (s *Setup) pattern(files string) string {
	p := path.Join("/", literal.Replace(s.world)) + "/" + files
	p = path.Clean(p)
	if !strings.ContainsAny(p, " \t\r\n\"\\") {
		return p
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\t", `\t`, "\r", `\r`, "\n", `\n`).Replace(p) + `"`
}

// part is where the world's attributes stand.
func (s *Setup) part() ownpart.Part {
	return ownpart.Part{What: "git's attributes", Path: s.attributesPath(), Begin: s.attributesBegin(), End: attributesEnd}
}

func (s *Setup) hasAttributes() (bool, error) {
	text, err := s.part().Text()
	return err == nil && text == s.attributesBegin()+s.attributes()+attributesEnd, err
}

func (s *Setup) installAttributes(c *Changes, _ string) error {
	changed, err := s.part().Put(s.attributes())
	if changed && err == nil {
		c.Did("what they are for, in %s", s.attributesPath())
	}
	return err
}

func (s *Setup) uninstallAttributes(c *Changes) error {
	was, err := s.part().Remove()
	if was && err == nil {
		c.Did("what they are for, out of %s", s.attributesPath())
	}
	return err
}
