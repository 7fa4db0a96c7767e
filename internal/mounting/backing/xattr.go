package backing

import (
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/worldfs/worldfs/internal/mounting/realfs"
)

// An entity has extended attributes that say what worldfs knows of it. They can
// be set to nothing but what they are: a copy of the file that is copied back has
// them, too. Others it cannot have: there is no place for them in a world. The answer is
// ENOTSUP, of which tools that copy what they can say nothing, as cp -a and mv.
const (
	typeXattr     = realfs.OwnXattrs + "type"
	idXattr       = realfs.OwnXattrs + "id"
	revisionXattr = realfs.OwnXattrs + "revision"
	errorXattr    = realfs.OwnXattrs + "error" // why the text does not parse
)

// xattr is one attribute and its value.
type xattr struct{ name, value string }

// xattrs returns an entity's attributes, none for a file that has no name.
func (b Entity) xattrs() []xattr {
	d, ok := b.File.Describe()
	if !ok {
		return nil
	}
	all := []xattr{{idXattr, d.ID.String()}}
	if d.Type != "" {
		all = append(all, xattr{typeXattr, d.Type}, xattr{revisionXattr, strconv.FormatUint(uint64(d.Revision), 10)})
	}
	if d.Error != "" {
		all = append(all, xattr{errorXattr, d.Error})
	}
	return all
}

func (b Entity) xattr(name string) (string, bool) {
	if !ours(name) {
		return "", false // the kernel asks for others at every turn
	}
	for _, x := range b.xattrs() {
		if x.name == name {
			return x.value, true
		}
	}
	return "", false
}

// GetXattr implements File.
func (b Entity) GetXattr(name string, dest []byte) (uint32, error) {
	value, ok := b.xattr(name)
	if !ok {
		return 0, realfs.NoXattr(name)
	}
	return AnswerXattr(value, dest)
}

// ListXattr implements File.
func (b Entity) ListXattr(dest []byte) (uint32, error) {
	var names string
	for _, x := range b.xattrs() {
		names += x.name + "\x00"
	}
	return AnswerXattr(names, dest)
}

// AnswerXattr copies the value; a caller that brings no room is told how much it takes.
func AnswerXattr(value string, dest []byte) (uint32, error) {
	n := uint32(len(value))
	if len(dest) > 0 && len(dest) < len(value) {
		return n, unix.ERANGE
	}
	copy(dest, value)
	return n, nil
}

// SetXattr implements File.
func (b Entity) SetXattr(name string, data []byte, flags uint32) error {
	value, ok := b.xattr(name)
	switch {
	case ok && flags&unix.XATTR_CREATE != 0:
		return unix.EEXIST
	case ok && value == string(data):
		return nil
	}
	return unix.ENOTSUP
}

// RemoveXattr implements File.
func (b Entity) RemoveXattr(name string) error {
	if ours(name) {
		return unix.EPERM
	}
	return unix.ENODATA
}

func ours(name string) bool {
	return name == typeXattr || name == idXattr || name == revisionXattr || name == errorXattr
}
