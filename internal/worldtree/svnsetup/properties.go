package svnsetup

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// The properties, and what files are to have. svn takes a text with many letters that are
// not ASCII for binary, and then neither compares nor merges it; a client on Windows could
// end lines otherwise than worldfs does.
const (
	eolStyle  = "svn:eol-style"
	mimeType  = "svn:mime-type"
	autoProps = "svn:auto-props"
	ignore    = "svn:ignore"

	eol  = "LF"
	mime = "text/plain"

	entityPattern = "*.entity_text"
)

// autoLines are what svn is to give to files that are added later.
var autoLines = []string{
	entityPattern + " = " + eolStyle + "=" + eol + ";" + mimeType + "=" + mime,
	"*.toml = " + eolStyle + "=" + eol,
	worlddir.RangesName + " = " + eolStyle + "=" + eol,
}

// parts are the files and directories of a world that have properties.
var parts = []string{worlddir.EntitiesName, worlddir.TypesName, worlddir.ConfigName, worlddir.RangesName}

// InstallProperties sets the properties that are missing. Others that are there stay.
func (s *Setup) InstallProperties(c *Changes) error {
	files, err := s.copy.Versioned(s.parts...)
	if err != nil {
		return err
	}
	files = slices.DeleteFunc(files, func(name string) bool { return !isPart(name) })
	before := len(c.Done)
	for _, install := range []func(*Changes, []string) error{s.installEOL, s.installMime, s.installAuto, s.installIgnore} {
		if err := install(c, files); err != nil {
			return err
		}
	}
	if len(c.Done) > before {
		c.ByHand = append(c.ByHand, "the properties are for everybody once they are committed; next: svn update; svn commit -m \"Properties for worldfs\"")
	}
	return nil
}

// set sets a property, which is on record first.
func (s *Setup) set(name, value string, before *string, files []string) error {
	if len(files) == 0 {
		return nil
	}
	s.record.Properties = append(s.record.Properties, property{name, value, before, files})
	if err := s.writeRecord(); err != nil {
		return err
	}
	return s.copy.SetProperty(name, value, files)
}

func (s *Setup) installEOL(c *Changes, files []string) error {
	have, err := s.copy.Property(eolStyle, false, s.parts...)
	if err != nil {
		return err
	}
	var lack, other []string
	for _, name := range files {
		switch {
		case have[name] != "":
		case s.hasReturns(name):
			other = append(other, name)
		default:
			lack = append(lack, name)
		}
	}
	if len(other) > 0 {
		c.ByHand = append(c.ByHand, fmt.Sprintf("%s with lines that end with CR LF, such as %s: no %s; worldfs fmt writes them anew", counted(len(other)), other[0], eolStyle))
	}
	if len(lack) > 0 {
		c.Did("%s of %s", eolStyle, counted(len(lack)))
	}
	return s.set(eolStyle, eol, nil, lack)
}

// hasReturns reports whether svn would refuse that a file ends lines with LF alone.
func (s *Setup) hasReturns(name string) bool {
	text, err := os.ReadFile(filepath.Join(s.dir.Root, filepath.FromSlash(name)))
	return err != nil || bytes.ContainsRune(text, '\r')
}

// installMime has svn compare entities' texts. One that is set to be some other text stays.
func (s *Setup) installMime(c *Changes, files []string) error {
	have, err := s.copy.Property(mimeType, false, s.parts...)
	if err != nil {
		return err
	}
	lack := make(map[string][]string) // by what they have
	count := 0
	for _, name := range files {
		if IsEntity(name) && !strings.HasPrefix(have[name], "text/") {
			lack[have[name]] = append(lack[have[name]], name)
			count++
		}
	}
	for value, names := range lack {
		before := &value
		if value == "" {
			before = nil
		}
		if err := s.set(mimeType, mime, before, names); err != nil {
			return err
		}
	}
	if count > 0 {
		c.Did("%s of %s", mimeType, counted(count))
	}
	return nil
}

func (s *Setup) installAuto(c *Changes, _ []string) error {
	return s.extend(c, autoProps, func(old string) string {
		text := old
		for _, line := range autoLines {
			pattern, _, _ := strings.Cut(line, " = ")
			if !hasPattern(old, pattern) {
				if text != "" && !strings.HasSuffix(text, "\n") {
					text += "\n"
				}
				text += line + "\n"
			}
		}
		return text
	})
}

func hasPattern(text, pattern string) bool {
	for line := range strings.Lines(text) {
		if have, _, _ := strings.Cut(line, "="); strings.TrimSpace(have) == pattern {
			return true
		}
	}
	return false
}

func (s *Setup) installIgnore(c *Changes, _ []string) error {
	return s.extend(c, ignore, func(old string) string {
		if strings.TrimRight(worlddir.SVNIgnore(old), "\n") == strings.TrimRight(old, "\n") {
			return old
		}
		return worlddir.SVNIgnore(old)
	})
}

// extend adds to a property of the world directory what it lacks.
func (s *Setup) extend(c *Changes, name string, add func(old string) string) error {
	have, err := s.copy.Property(name, false, ".")
	if err != nil {
		return err
	}
	old, has := have["."]
	value := add(old)
	if value == old {
		return nil
	}
	before := &old
	if !has {
		before = nil
	}
	c.Did("%s of the world directory", name)
	return s.set(name, value, before, []string{"."})
}

// uninstallProperties has properties be as they were where they are as they were set and
// not committed.
func (s *Setup) uninstallProperties(c *Changes) error {
	committed := false
	for _, p := range slices.Backward(s.record.Properties) {
		now, err := s.values(p, false)
		if err != nil {
			return err
		}
		base, err := s.values(p, true)
		if err != nil {
			return err
		}
		back := slices.DeleteFunc(slices.Clone(p.Files), func(name string) bool {
			value, has := now[name]
			if has && base[name] == value {
				committed = true
			}
			return !has || value != p.Value && strings.TrimRight(value, "\n") != strings.TrimRight(p.Value, "\n") || base[name] == value
		})
		if len(back) == 0 {
			continue
		}
		if p.Before != nil {
			err = s.copy.SetProperty(p.Name, *p.Before, back)
		} else {
			err = s.copy.RemoveProperty(p.Name, back)
		}
		if err != nil {
			return err
		}
		of := counted(len(back))
		if slices.Equal(back, []string{"."}) {
			of = "the world directory"
		}
		c.Did("%s of %s, as before", p.Name, of)
	}
	if committed {
		c.ByHand = append(c.ByHand, "properties that are committed stay, since they are everybody's; svn propdel takes them away: "+strings.Join([]string{eolStyle, mimeType, autoProps}, ", "))
	}
	return nil
}

func counted(files int) string {
	if files == 1 {
		return "1 file"
	}
	return fmt.Sprintf("%d files", files)
}

func (s *Setup) values(p property, base bool) (map[string]string, error) {
	names := s.parts
	if slices.Equal(p.Files, []string{"."}) {
		names = []string{"."}
	}
	return s.copy.Property(p.Name, base, names...)
}
