package typefile

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// extension is what the name of every types file ends in.
const extension = ".toml"

// IsFileName reports whether a file of a directory of types that has such a name declares one.
// Editors have hidden files of their own there.
func IsFileName(name string) bool {
	return strings.HasSuffix(name, extension) && !strings.HasPrefix(name, ".")
}

// longestName is how long a file's name may get without its extension. File
// systems take 255 bytes; programs that make a name beside it need some.
const longestName = 180

// FileName returns the name of the file for the type t. Letters, digits, dots,
// underscores and hyphens stand for themselves; all else is percent-encoded,
// and so is a dot where it could hide a file or climb out of a directory, and
// the first letter of a name that is a device on Windows. What gets too long is
// cut, and a hash tells it from others.
func FileName(t string) string {
	name := encodeName(t)
	if len(name) > longestName {
		return hashedName(t)
	}
	return name + extension
}

// hashedName is the name for a type whose own is too long, or differs from
// another's in the case of letters only.
func hashedName(t string) string {
	name := encodeName(t)
	if len(name) > longestName-20 {
		name = name[:longestName-20]
		// Not in the middle of an encoded byte.
		if i := strings.LastIndexByte(name, '%'); i > len(name)-3 {
			name = name[:i]
		}
	}
	sum := sha256.Sum256([]byte(t))
	return fmt.Sprintf("%s-%x%s", name, sum[:8], extension)
}

func encodeName(t string) string {
	var s strings.Builder
	device := isDevice(t)
	for i := range len(t) {
		c := t[i]
		plain := isLetterOrDigit(c) || c == '_' || c == '-' && i > 0 ||
			c == '.' && i > 0 && i < len(t)-1 && t[i-1] != '.'
		if plain && !(device && i == 0) {
			s.WriteByte(c)
		} else {
			fmt.Fprintf(&s, "%%%02X", c)
		}
	}
	return s.String()
}

func isLetterOrDigit(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// isDevice reports whether Windows takes files of that name for a device.
func isDevice(t string) bool {
	base, _, _ := strings.Cut(strings.ToUpper(t), ".")
	switch base {
	case "CON", "PRN", "AUX", "NUL":
		return true
	}
	return len(base) == 4 && (base[:3] == "COM" || base[:3] == "LPT") && base[3] >= '0' && base[3] <= '9'
}
