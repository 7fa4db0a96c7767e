// Package svnsetup sets svn up for a world: properties in the working copy, which people
// commit, and diff3-cmd and the merge tool in the person's own config, which is for all
// their working copies.
//
// svn gives diff3-cmd every file that was changed here and by what comes in. A script of
// ours, beside the config, gives those of worlds to worldfs and all others to diff3(1); so
// it does where worldfs is gone. Another tool that is set there is respected. What was set
// is on record, in .worldfs, and Uninstall takes away exactly that; properties that are
// committed stay, for they are everybody's. To install twice changes nothing more.
package svnsetup

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/ownpart"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/internal/worldtree/vcssync"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// Changes says what a call did.
type Changes = ownpart.Changes

// Keep replaces a file of a world's local state, or removes it where there is no data.
type Keep func(dir *worlddir.Dir, name string, data []byte) error

// Setup is what is set up for a world in svn.
type Setup struct {
	dir    *worlddir.Dir
	config string // the directory of the person's config
	copy   *vcs.SVNCopy
	keep   Keep
	record record
	parts  []string // of the world, that svn has
}

// record is what was set up, in .worldfs/svn-setup.json.
type record struct {
	Version    int        `json:"version"`
	Config     string     `json:"config"` // the directory
	Properties []property `json:"properties,omitempty"`
}

const recordVersion = 1

// property is a property that was set.
type property struct {
	Name   string   `json:"name"`
	Value  string   `json:"value"`
	Before *string  `json:"before,omitempty"` // nil: it was not there
	Files  []string `json:"files"`            // from the world directory; "." for itself
}

// Open returns the setup of the working copy that a world directory lies in. config is the
// directory of svn's config, "" for the one that was named before, else the person's own.
// Where svn does not have the world, the error is vcssync.ErrNotAdded.
func Open(root, config string, keep Keep) (*Setup, error) {
	s := &Setup{dir: worlddir.Known(root, entity.GUID{}), keep: keep}
	if err := s.readRecord(); err != nil {
		return nil, err
	}
	var err error
	if s.config, err = s.configDir(config); err != nil {
		return nil, err
	}
	if s.copy, err = (vcs.SVN{Dir: root}).OpenCopy(); err != nil {
		return nil, err
	}
	known, err := s.copy.Knows(parts)
	if _, has := known[worlddir.ConfigName]; errors.Is(err, vcs.ErrNoRepository) || err == nil && !has {
		return nil, vcssync.ErrNotAdded
	}
	s.parts = slices.Sorted(maps.Keys(known))
	return s, err
}

func (s *Setup) configDir(named string) (string, error) {
	switch {
	case named != "":
		return filepath.Abs(named)
	case s.record.Config != "":
		return s.record.Config, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find svn's config: %w; name its directory with --config-dir", err)
	}
	return filepath.Join(home, ".subversion"), nil
}

func (s *Setup) readRecord() error {
	data, err := s.dir.Kept(worlddir.SVNSetupName)
	if data == nil || err != nil {
		return err
	}
	err = json.Unmarshal(data, &s.record)
	if err == nil && s.record.Version > recordVersion {
		err = errors.New("it is of a newer worldfs")
	}
	if err != nil {
		return fmt.Errorf(".worldfs/%s: %w; remove it: what vcs install has set stays then", worlddir.SVNSetupName, err)
	}
	return nil
}

func (s *Setup) writeRecord() error {
	s.record.Version, s.record.Config = recordVersion, s.config
	data, err := json.Marshal(s.record)
	if err != nil {
		return err
	}
	return s.keep(s.dir, worlddir.SVNSetupName, data)
}

// Uninstall takes away what was installed.
func (s *Setup) Uninstall() (c Changes, err error) {
	if err := s.uninstallConfig(&c); err != nil {
		return c, err
	}
	if err := s.uninstallProperties(&c); err != nil {
		return c, err
	}
	return c, s.keep(s.dir, worlddir.SVNSetupName, nil)
}

// Lacks returns what of the setup is not there, in words.
func (s *Setup) Lacks() (lacks []string, err error) {
	auto, err := s.copy.Property(autoProps, false, ".")
	if err != nil {
		return nil, err
	}
	if !hasPattern(auto["."], entityPattern) {
		lacks = append(lacks, "the properties for diffs")
	}
	said, err := s.said()
	if err != nil {
		return nil, err
	}
	if said[diff3Key] == "" && !s.hasScript(diff3Script) { // with --shell there is the script alone
		return append(lacks, "diff3-cmd", "the merge tool"), nil
	}
	if program := s.programOf(diff3Script); program != "" && !exists(program) {
		lacks = append(lacks, fmt.Sprintf("the program that diff3-cmd runs, %s, which is gone", program))
	}
	return lacks, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
