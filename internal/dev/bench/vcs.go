package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// gitRows are the rows of the table in which git works on entities/. The
// repository is beside it, on ordinary ground.
func gitRows(s *subject) []row {
	n, every := len(s.files), newWriter(s, len(s.files))
	git := func(p *place, args ...string) error { return command(p.root, "git", args...) }
	again := func(p *place) error {
		if git(p, "rev-parse", "-q", "--verify", "refs/heads/two") != nil {
			return commitTwo(p, every)
		}
		return git(p, "status", "--porcelain", "entities")
	}
	remounted := func(p *place) error {
		// What is younger than the index git reads again, here and there.
		if err := again(p); err != nil {
			return err
		}
		if err := p.remount(); err != nil {
			return err
		}
		return p.warmed()
	}
	status := func(p *place) error {
		out, err := output(p.root, "git", "status", "--porcelain", "entities")
		if err == nil && len(out) > 0 {
			return fmt.Errorf("git status finds a change:\n%.200s", out)
		}
		return err
	}
	turn := map[*place]int{}
	checkout := func(config ...string) func(*place) error {
		return func(p *place) error {
			turn[p]++
			branch := []string{"one", "two"}[turn[p]%2]
			return git(p, append(config, "checkout", "-q", "-f", branch)...)
		}
	}
	slow := "a repository takes minutes"
	archives := map[string]string{"fuse-zip": slow, "archivemount": slow}
	return []row{
		{what: "git add -A of everything, first time", goal: 1.5, files: n, prepare: emptyRepository, do: func(p *place) error {
			return git(p, "add", "-A", "entities")
		}},
		{what: "git checkout that writes every file", goal: 4, files: n, prepare: again, do: checkout(), not: archives},
		{what: "the same with -c checkout.workers=4", goal: 4, files: n, prepare: again, do: checkout("-c", "checkout.workers=4"), not: archives},
		{what: "git status, again", goal: 1.2, files: n, prepare: again, do: status, not: archives},
		{what: "git status, first after a remount, warmed", goal: 1.5, files: n, prepare: remounted, do: status, not: archives},
	}
}

// emptyRepository makes a repository that knows nothing yet.
func emptyRepository(p *place) error {
	if err := os.RemoveAll(filepath.Join(p.root, ".git")); err != nil {
		return err
	}
	return command(p.root, "git", "init", "-q")
}

// commitTwo makes a repository with two branches in which every file differs.
func commitTwo(p *place, every *writer) error {
	if err := emptyRepository(p); err != nil {
		return err
	}
	for _, branch := range []string{"one", "two"} {
		for _, args := range [][]string{{"checkout", "-q", "-b", branch}, {"add", "-A", "entities"}, {"commit", "-q", "-m", branch}} {
			if err := command(p.root, "git", args...); err != nil {
				return err
			}
		}
		if branch == "one" {
			if err := every.inPlace(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// svn has a repository in which revision 3 changes some files of revision 2.
type svn struct {
	url   string
	files int
}

func newSvn(dir string, s *subject, files int) (*svn, error) {
	v := &svn{url: "file://" + filepath.Join(dir, "repository"), files: files}
	work := filepath.Join(dir, "importing")
	for _, args := range [][]string{{"svnadmin", "create", filepath.Join(dir, "repository")}, {"svn", "mkdir", "-q", "-m", "the place of the files", v.url + "/entities"},
		{"svn", "checkout", "-q", v.url, work}} {
		if err := command(dir, args[0], args[1:]...); err != nil {
			return nil, err
		}
	}
	entities := filepath.Join(work, "entities")
	if err := s.writeTexts(entities); err != nil {
		return nil, err
	}
	if err := command(entities, "sh", "-c", "svn add -q *.entity_text && svn commit -q -m all"); err != nil {
		return nil, err
	}
	w := newWriter(s, files)
	for i, name := range w.names {
		if err := os.WriteFile(filepath.Join(entities, name), w.texts[1][i], 0o644); err != nil {
			return nil, err
		}
	}
	return v, command(entities, "svn", "commit", "-q", "-m", "some")
}

// checkout makes a working copy of root, which may have files already: those of
// revision 2.
func (v *svn) checkout(root string) error {
	return command(".", "svn", "checkout", "-q", "--force", "-r", "2", v.url, root)
}

func (v *svn) rows(n int) []row {
	turn := map[*place]int{}
	update := func(options ...string) func(*place) error {
		return func(p *place) error {
			turn[p]++
			revision := []string{"2", "3"}[turn[p]%2]
			out, err := output(p.root, "svn", append(options, "update", "-r", revision)...)
			if err == nil && strings.Count(string(out), "\nU ") < v.files/2 {
				return fmt.Errorf("svn update changed less than it should:\n%.300s", out)
			}
			return err
		}
	}
	locked := []string{"--config-option", "config:working-copy:exclusive-locking-clients=svn"}
	return []row{
		{what: "svn status (cover), again", goal: 1.5, files: n, do: func(p *place) error {
			return command(p.root, "svn", "status", "-q")
		}},
		{what: fmt.Sprintf("svn update that changes %d (cover)", v.files), goal: 2, files: v.files, do: update()},
		{what: "the same with exclusive-locking-clients = svn", goal: 2, files: v.files, do: update(locked...)},
	}
}
