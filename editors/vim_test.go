package editors

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// dump writes, of each line of each file, at which columns which group begins.
const dump = `
set encoding=utf-8 fileencodings=utf-8 nomodeline noswapfile
filetype plugin on
syntax on
for name in readfile($NAMES)
  execute 'edit' fnameescape(name)
  let out = [&filetype]
  for l in range(1, line('$'))
    let groups = ''
    let last = ''
    for c in range(1, len(getline(l)))
      let group = synIDattr(synID(l, c, 1), 'name')
      if group !=# last
        let groups .= ' ' . c . ':' . group
        let last = group
      endif
    endfor
    call add(out, groups)
  endfor
  call writefile(out, name . '.groups')
  bwipeout!
endfor
qall!
`

// runVim runs a script in vim, which knows the names of files by $NAMES.
func runVim(t *testing.T, script string, names []string) {
	require.NoError(t, lookFor("vim"))
	know(t, "vim/*/*.vim")
	dir := t.TempDir()
	file, list := filepath.Join(dir, "script.vim"), filepath.Join(dir, "names")
	require.NoError(t, os.WriteFile(file, []byte(script), 0o644))
	require.NoError(t, os.WriteFile(list, []byte(strings.Join(names, "\n")), 0o644))
	runtime, err := filepath.Abs("vim")
	require.NoError(t, err)
	cmd := exec.Command("vim", "-Nes", "-u", "NONE", "-i", "NONE", "--cmd", "set runtimepath^="+runtime, "-S", file)
	cmd.Env = append(os.Environ(), "NAMES="+list, "HOME="+dir, "LC_ALL=C.UTF-8", "VIMINIT=", "TERM=dumb")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
}

func lookFor(tool string) error {
	if _, err := exec.LookPath(tool); err != nil {
		return fmt.Errorf("%w: scripts/setup.sh test installs it", err)
	}
	return nil
}

// groupsAt returns the group of each byte of a line, as dump wrote them.
func groupsAt(t *testing.T, text, dumped string) []string {
	groups := make([]string, len(text))
	for _, change := range strings.Fields(dumped) {
		column, group, _ := strings.Cut(change, ":")
		from, err := strconv.Atoi(column)
		require.NoError(t, err)
		for i := from - 1; i < len(groups); i++ {
			groups[i] = strings.TrimPrefix(group, "entityText")
		}
	}
	return groups
}

// maxColumn is vim's own: what is beyond it has no colour.
const maxColumn = 3000

func TestVim(t *testing.T) { eachKind(t, checkVim) }

func checkVim(t *testing.T, samples []sample) {
	paths := texts(t, samples, ".entity_text", plain)
	runVim(t, dump, paths)
	for i, s := range samples {
		data, err := os.ReadFile(paths[i] + ".groups")
		require.NoError(t, err)
		dumped := strings.Split(string(data), "\n")
		require.Equal(t, "entity_text", dumped[0])
		for n, l := range s.lines {
			if !l.unknown && len(l.text) <= maxColumn {
				checkGroups(t, fmt.Sprintf("%s:%d", s.name, n+1), l, groupsAt(t, l.text, dumped[n+1]))
			}
		}
	}
}

func checkGroups(t *testing.T, where string, l line, groups []string) {
	for _, token := range l.tokens {
		for at := token.from; at < token.to; at++ {
			got := groups[at]
			if token.class == aConflict { // it is one of three
				got = strings.TrimPrefix(strings.TrimPrefix(got, "Type"), "ID")
			}
			require.Equal(t, token.class.vim, got, "%s:%d: %s", where, at+1, l.text)
		}
	}
}

func plain(s sample) string {
	var b strings.Builder
	for _, l := range s.lines {
		b.WriteString(l.text + "\n")
	}
	return b.String()
}

// gf on an ID opens the entity, in any layout of entities/.
func TestVimOpensTheEntityUnderTheCursor(t *testing.T) {
	for _, c := range []struct{ from, to string }{
		{"entities/6555.entity_text", "entities/6001.entity_text"},
		{"entities/55/6555.entity_text", "entities/01/6001.entity_text"},
	} {
		dir := t.TempDir()
		for _, name := range []string{c.from, c.to} {
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("Door\n1\n1\n; target\n    6001\n"), 0o644))
		}
		runVim(t, `
filetype plugin on
execute 'edit' readfile($NAMES)[0]
call cursor(5, 6)
normal! gf
call writefile([expand('%:p')], readfile($NAMES)[1])
qall!
`, []string{filepath.Join(dir, c.from), filepath.Join(dir, "opened")})
		opened, err := os.ReadFile(filepath.Join(dir, "opened"))
		require.NoError(t, err)
		require.Equal(t, filepath.Join(dir, c.to), strings.TrimSpace(string(opened)))
	}
}
