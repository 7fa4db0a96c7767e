package worlddir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// InitOptions are what Init can be told.
type InitOptions struct {
	ID    entity.GUID  // the world's; a new random one if zero
	Plain *bool        // the setting; nil leaves it out
	Note  func(string) // told what the person should know; may be nil
}

const configText = `# This file marks a worldfs world. Settings here give way to WORLDFS_* in the
# environment, and those to a command's flags.

# The world's identity: the same for its whole life, on every machine.
id = %q

# Whether entities/ holds plain files while the world is not mounted. Left out,
# it does where this directory lies in a working copy (git, svn, hg).
%s

# Where in entities/ the files lie: none (entities/6555.entity_text) or, for a
# very large world, in shards named for the last digits of the ID: last-digit
# (entities/5/6555.entity_text), tens or hundreds. worldfs shard changes it.
# shard = "last-digit"

# How much goes into .worldfs/log: debug, info, warn or error.
# log_level = "info"
`

const rangesText = `# Who may create which IDs, one range a line: from (included), to (excluded),
# whose. A key is a hardware address or a role; "disposable" after it lets
# anything in the range be deleted and made again by a program. For example:
#
#      6000 10000 BC-AE-C5-66-28-E9 #Jonathan_office
#     58000 70000 Clusters disposable #Clusters
`

// Init makes root a world directory; it may exist and have files in it, which
// are kept. Where there is a world already the error is ErrExists.
func Init(root string, o InitOptions) (*Dir, error) {
	if err := checkOutside(root); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(root, 0o777); err != nil {
		return nil, fmt.Errorf("make world: %w", err)
	}
	if _, err := os.Lstat(filepath.Join(root, configName)); err == nil {
		return nil, fmt.Errorf("%s: %w (it has a %s)", root, ErrExists, configName)
	}
	for _, name := range []string{typesName, entitiesName} {
		if err := os.MkdirAll(filepath.Join(root, name), 0o777); err != nil {
			return nil, fmt.Errorf("make world: %w", err)
		}
	}
	if err := createFile(filepath.Join(root, rangesName), rangesText); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("make world: %w", err)
	}
	if err := Ignore(root, o.Note); err != nil {
		return nil, err
	}
	// world.toml comes last: a half-made directory is no world.
	if err := createFile(filepath.Join(root, configName), o.config()); err != nil {
		return nil, fmt.Errorf("make world: %w", err)
	}
	d, err := Open(root)
	if err != nil {
		return nil, err
	}
	return d, d.EnsureState()
}

// checkOutside refuses a directory among the files of a world: what is made there is scratch,
// and gone with a mount, or is taken for a part of that world.
func checkOutside(root string) error {
	outer, in, err := PartOf(root)
	if err != nil {
		return err
	}
	switch first, _, _ := strings.Cut(in, "/"); first {
	case entitiesName, typesName, stateName:
		return fmt.Errorf("%s lies in %s of the world %s, where no other can be; give a directory outside of it", root, first, outer)
	}
	return nil
}

// PartOf returns the world directory that a path lies in, which need not exist, and how the path
// goes on from there, with slashes; "" and "" where it lies in none.
func PartOf(path string) (root, rest string, err error) {
	if path, err = resolve(path); err != nil {
		return "", "", err
	}
	root, err = FindRoot(path)
	if errors.Is(err, ErrNotFound) {
		return "", "", nil
	}
	if err != nil {
		return "", "", err
	}
	rest, err = filepath.Rel(root, path)
	return root, filepath.ToSlash(rest), err
}

// IsOwn reports whether a path from a world directory, with slashes, is that of a file which the
// world itself has and is not its pack: its settings, ranges, declarations, state, or an
// entity's file.
func IsOwn(path string) bool {
	switch first, _, within := strings.Cut(path, "/"); first {
	case configName, rangesName:
		return !within
	case typesName, stateName:
		return true
	case entitiesName:
		_, ok := layout.ParseFileName(filepath.Base(path))
		return ok
	}
	return false
}

func (o InitOptions) config() string {
	id := uuid.UUID(o.ID)
	if id == uuid.Nil {
		id = uuid.New()
	}
	plain := "# plain = true"
	if o.Plain != nil {
		plain = "plain = " + strconv.FormatBool(*o.Plain)
	}
	return fmt.Sprintf(configText, id, plain)
}

// Ignore tells git, hg and svn which names in root are local. It adds what is
// missing and changes nothing else.
func Ignore(root string, note func(string)) error {
	if err := writeGitignore(root); err != nil {
		return err
	}
	if err := writeHgignore(root); err != nil {
		return err
	}
	if err := excludeFromGit(root); err != nil {
		return err
	}
	text, err := setSVNIgnore(root)
	if text != "" && note != nil {
		note(text)
	}
	return err
}

func createFile(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Sync(), f.Close())
}
