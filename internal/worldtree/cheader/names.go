package cheader

import (
	"fmt"
	"strings"
)

// reserved are the words that are no names in C or in C++, or are macros of what
// worldfs.h includes and of common compilers.
var reserved = wordSet(`
	alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class
	co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype
	default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline
	int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register
	reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast struct switch
	template this thread_local throw true try typedef typeid typename typeof typeof_unqual union unsigned using
	virtual void volatile wchar_t while xor xor_eq
	NULL EOF errno assert offsetof linux unix i386 near far small interface stdin stdout stderr major minor makedev
	INT8_MAX SIZE_MAX`)

func wordSet(words string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// identifier returns a name as an identifier of C, which may be taken already:
// letters, digits and _ stay, other ASCII is _, and what is beyond is its number in
// hexadecimal digits.
func identifier(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_':
			b.WriteRune(r)
		case r < 0x80:
			b.WriteByte('_')
		default:
			fmt.Fprintf(&b, "u%04x", r)
		}
	}
	return b.String()
}

// scope has the names that are taken in one place, and gives out others.
type scope map[string]bool

// name returns an identifier for what stands for itself: no word of the language, not
// one of the library's own (those begin with _), and not taken.
func (s scope) name(name string) string {
	id := identifier(name)
	if id == "" || id[0] >= '0' && id[0] <= '9' || id[0] == '_' {
		id = "x" + id
	}
	if reserved[id] {
		id += "_"
	}
	return s.prefixed(id)
}

// prefixed returns an identifier that is not taken, for a name that is one but may be.
func (s scope) prefixed(id string) string {
	unique := id
	for n := 2; s[unique]; n++ {
		unique = fmt.Sprintf("%s_%d", id, n)
	}
	s[unique] = true
	return unique
}

// literal returns a string of C.
func literal(s string) string {
	b := []byte{'"'}
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c > 0x7e || c == '"' || c == '\\' || c == '?' {
			b = fmt.Appendf(b, "\\%03o", c)
		} else {
			b = append(b, c)
		}
	}
	return string(append(b, '"'))
}

// comment returns a text as it may stand in a comment of C.
func comment(s string) string {
	return strings.NewReplacer("*/", "* /", "/*", "/ *", "\\", "/").Replace(strings.ToValidUTF8(s, "?"))
}
