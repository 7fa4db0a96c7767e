package mergestudy

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
)

// clone is a clone of git in which worldfs vcs install was typed. It has all cases: each
// is three commits that have nothing in common with those of the others.
type clone struct {
	*toolbox
	dir     string
	commits map[int][2]string // by case: ours and theirs
}

// newClone makes one with cases, by their numbers.
func newClone(t *toolbox, dir string, cases map[int]*threeWay) (*clone, error) {
	g := &clone{t, dir, make(map[int][2]string)}
	if err := t.run(filepath.Dir(dir), "git", "init", "-q", "-b", "main", dir); err != nil {
		return nil, err
	}
	if err := t.run(dir, "git", "config", "gc.auto", "0"); err != nil {
		return nil, err
	}
	if err := g.load(cases); err != nil {
		return nil, err
	}
	if len(cases) == 0 {
		return g, nil
	}
	if err := g.checkout(slices.Min(slices.Collect(maps.Keys(cases)))); err != nil { // any, for there to be a world
		return nil, err
	}
	return g, t.run(dir, t.worldfs, "vcs", "install")
}

// load brings the commits in, by one process. Commits are named by marks until it ends.
func (g *clone) load(cases map[int]*threeWay) error {
	var b bytes.Buffer
	numbers := slices.Sorted(maps.Keys(cases))
	for n, i := range numbers {
		c, base := cases[i], 3*n+1
		fmt.Fprintf(&b, "reset refs/heads/load\n")
		appendCommit(&b, base, 0, "shared", c.files(c.base))
		appendCommit(&b, base+1, base, "ann", c.files(c.sides[0].world))
		appendCommit(&b, base+2, base, "bob", c.files(c.sides[1].world))
	}
	marks := filepath.Join(g.home, "marks")
	if err := g.feed(g.dir, b.String(), "git", "fast-import", "--quiet", "--force", "--export-marks="+marks); err != nil {
		return err
	}
	data, err := os.ReadFile(marks)
	if err != nil {
		return err
	}
	commits := make([]string, 3*len(numbers)+1)
	for line := range strings.Lines(string(data)) {
		mark, commit := 0, ""
		if _, err := fmt.Sscanf(line, ":%d %s", &mark, &commit); err != nil {
			return fmt.Errorf("git fast-import: %q: %w", line, err)
		}
		commits[mark] = commit
	}
	for n, i := range numbers {
		g.commits[i] = [2]string{commits[3*n+2], commits[3*n+3]}
	}
	return nil
}

// appendCommit appends a commit as git fast-import reads it; parent 0 is none.
func appendCommit(b *bytes.Buffer, mark, parent int, author string, files map[string][]byte) {
	fmt.Fprintf(b, "commit refs/heads/load\nmark :%d\ncommitter %s <%[2]s@example.com> %d +0000\ndata %d\n%[2]s\n", mark, author, 1700000000+mark, len(author))
	if parent > 0 {
		fmt.Fprintf(b, "from :%d\n", parent)
	}
	b.WriteString("deleteall\n")
	files[".gitignore"] = []byte(".worldfs/\n")
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(b, "M 100644 inline %s\ndata %d\n%s\n", name, len(files[name]), files[name])
	}
	b.WriteByte('\n')
}

// checkout has the branch main be ours of a case, and origin's be theirs. What is kept
// of the case before is of another world.
func (g *clone) checkout(i int) error {
	for _, name := range []string{".worldfs", "world.pack"} {
		if err := os.RemoveAll(filepath.Join(g.dir, name)); err != nil {
			return err
		}
	}
	if err := g.run(g.dir, "git", "checkout", "-q", "-f", "-B", "main", g.commits[i][0]); err != nil {
		return err
	}
	return g.run(g.dir, "git", "update-ref", "refs/remotes/origin/main", g.commits[i][1])
}

// merge has git merge a case, and worldfs resolve finish it.
func (g *clone) merge(i int, c *threeWay) (v verdict, err error) {
	if err := g.checkout(i); err != nil {
		return v, err
	}
	if err := requireFiles(g.dir, c.sides[0].world); err != nil {
		return v, err
	}
	_, all, exit, err := g.try(g.dir, "", "git", "merge", "-q", "--no-edit", "origin/main")
	if err != nil || exit > 1 {
		return v, fmt.Errorf("git merge: exit status %d: %s (%w)", exit, all, err)
	}
	s, err := g.resolve(g.dir)
	if err != nil {
		return v, err
	}
	if v, err = c.judgeFiles(g.dir, s); err != nil || v.conflict {
		return v, err
	}
	return g.commit(v, s)
}

// commit commits what was resolved. What is not committed then, is lost to others.
func (g *clone) commit(v verdict, s *summary) (verdict, error) {
	if s.Next != "" {
		_, all, exit, err := g.try(g.dir, "", "git", "commit", "-q", "-m", "merged")
		if err != nil {
			return v, err
		}
		if exit != 0 {
			v.faults.lost, v.failure = true, v.failure+"git commit: "+all
		}
	}
	out, _, _, err := g.try(g.dir, "", "git", "status", "--porcelain")
	if out != "" {
		v.faults.lost, v.failure = true, v.failure+"not committed: "+out
	}
	return v, err
}

// requireFiles fails unless a world directory has the texts of a world.
func requireFiles(dir string, w *entity.World) error {
	texts, err := readTexts(dir)
	if err != nil {
		return err
	}
	for e := range w.All() {
		if !bytes.Equal(texts[e.ID], text(e)) {
			return fmt.Errorf("%s has not %v as it is before the merge", dir, e)
		}
	}
	if len(texts) != w.Len() {
		return fmt.Errorf("%s has %d entities before the merge, not %d", dir, len(texts), w.Len())
	}
	return nil
}
