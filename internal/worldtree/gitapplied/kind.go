package gitapplied

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

// person is by whom what comes in was made, and when, as git takes it from its environment.
type person struct{ name, email, date string }

// unknown is the author of a patch that names none.
var unknown = person{name: "unknown", email: "unknown"}

// environment has git commit as the person. The date is git's to read; "" is now.
func (p person) environment() []string {
	return []string{
		"GIT_AUTHOR_NAME=" + p.name, "GIT_AUTHOR_EMAIL=" + p.email, "GIT_AUTHOR_DATE=" + p.date,
		"GIT_COMMITTER_NAME=" + p.name, "GIT_COMMITTER_EMAIL=" + p.email, "GIT_COMMITTER_DATE=" + p.date,
	}
}

// kind finds out which command it was, and by whom what comes in was made. A local edit that
// went along to another branch is in no commit, and the last that HEAD has done is to go there.
func (f *finder) kind() (vcs.OperationKind, person) {
	if f.isPatching() {
		return Patching, f.patchAuthor()
	}
	if by, ok := f.committer(); ok {
		return Applying, by
	}
	last, err := f.Line("log", "-g", "--format=%gs", "-n", "1", "HEAD", "--")
	if err != nil || !strings.HasPrefix(last, "checkout: moving from ") {
		return Applying, unknown
	}
	return Carrying, f.self()
}

// committer returns the author of the commit in which what comes in of an unmerged file was
// made.
func (f *finder) committer() (by person, ok bool) {
	for _, s := range f.stages {
		if s.side != 3 {
			continue
		}
		out, err := f.Line("log", "--exclude="+ref, "--all", "-n", "1", "--format=%an%x00%ae%x00@%at", "--find-object="+s.object)
		words := strings.Split(out, "\x00")
		if err != nil || len(words) != 3 {
			return by, false
		}
		return person{words[0], words[1], words[2]}, true
	}
	return unknown, true // all that is unmerged was deleted there: no edit of a file that is here
}

// self is the person at this machine.
func (f *finder) self() person {
	ident, err := f.Line("var", "GIT_AUTHOR_IDENT")
	name, rest, found := strings.Cut(ident, " <")
	email, _, _ := strings.Cut(rest, ">")
	if err != nil || !found || name == "" {
		return unknown
	}
	return person{name: name, email: email}
}

// patchAuthor is the author of the patch that git am has stopped at.
func (f *finder) patchAuthor() person {
	data, err := os.ReadFile(filepath.Join(f.GitDir(), "rebase-apply", "author-script"))
	by := person{}
	for line := range strings.Lines(string(data)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		value = strings.ReplaceAll(strings.Trim(value, "'"), `'\''`, "'")
		switch key {
		case "GIT_AUTHOR_NAME":
			by.name = value
		case "GIT_AUTHOR_EMAIL":
			by.email = value
		case "GIT_AUTHOR_DATE":
			by.date = value
		}
	}
	if err != nil || by.name == "" || by.email == "" {
		return unknown
	}
	return by
}
