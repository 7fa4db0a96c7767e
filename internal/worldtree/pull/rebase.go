package pull

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// rebased is what becomes of the person's commits.
type rebased struct {
	tip     string // the last of them
	made    int    // how many were made anew
	dropped int    // how many have nothing that the others do not have
	merged  bool   // they stay, and a merge joins them with what came in
}

// rebase makes the person's commits anew on what came in.
func (in *gitPull) rebase() (r rebased, err error) {
	r.tip = in.shared
	if len(in.own) == 0 {
		return r, nil
	}
	making := in.commitArgs()
	if slices.ContainsFunc(in.own, func(c Commit) bool { return c.merge }) {
		r.merged = true
		r.tip, err = in.join(making)
		return r, err
	}
	last, err := in.git.Line("rev-parse", r.tip+"^{tree}")
	if err != nil {
		return r, err
	}
	for _, c := range slices.Backward(in.own) {
		tree, err := in.mergedTree(c.ID)
		if err == nil && tree == last && !in.isEmpty(c.ID) {
			r.dropped++
			continue
		}
		if err == nil {
			r.tip, err = in.anew(making, c, tree, r.tip)
		}
		if err != nil {
			return r, fmt.Errorf("make the commit %.7s %q anew: %w", c.ID, c.Subject, err)
		}
		r.made++
		last = tree
	}
	return r, nil
}

// mergedTree returns the tree of one of the person's commits, merged with what is shared.
func (in *gitPull) mergedTree(commit string) (string, error) {
	all, err := in.mergeWorld(commit)
	if err != nil {
		return "", err
	}
	others, err := in.mergeOutside(commit)
	if err != nil {
		return "", err
	}
	if len(others.conflicts) > 0 {
		return "", fmt.Errorf("%w: git cannot merge %s; git pull does, and asks you about them", ErrOutside, strings.Join(others.conflicts, ", "))
	}
	all.Write(others.edits.Bytes())
	return in.treeOf(in.shared, all)
}

// anew makes a commit of a tree on a parent.
func (in *gitPull) anew(making []string, c Commit, tree, parent string) (string, error) {
	said, err := in.git.Call(nil, "log", "-1", "--encoding=UTF-8", "--date=raw", "--format=%an%x00%ae%x00%ad%x00%B", c.ID, "--")
	if err != nil {
		return "", err
	}
	words := bytes.SplitN(said, []byte{0}, 4)
	if len(words) != 4 {
		return "", fmt.Errorf("git log printed what cannot be read: %q", said)
	}
	git := in.git.With("GIT_AUTHOR_NAME="+string(words[0]), "GIT_AUTHOR_EMAIL="+string(words[1]), "GIT_AUTHOR_DATE="+string(words[2]))
	out, err := git.Call(words[3], slices.Concat(making, []string{tree, "-p", parent, "-F", "-"})...)
	return strings.TrimSpace(string(out)), err
}

// commitArgs are how a commit of the person's is made.
func (in *gitPull) commitArgs() []string {
	args := []string{"-c", "i18n.commitEncoding=UTF-8", "commit-tree"}
	if sign, _ := in.git.Line("config", "--type=bool", "commit.gpgSign"); sign == "true" {
		args = append(args, "-S")
	}
	return args
}

// isEmpty reports whether a commit changes nothing, as one that is only a message.
func (in *gitPull) isEmpty(commit string) bool {
	trees, err := in.git.Line("rev-parse", commit+"^{tree}", commit+"^1^{tree}")
	tree, parent, _ := strings.Cut(trees, "\n")
	return err == nil && tree == parent
}

// join makes one merge of the person's commits and what came in.
func (in *gitPull) join(making []string) (string, error) {
	tree, err := in.mergedTree(in.head)
	if err != nil {
		return "", err
	}
	message := fmt.Sprintf("Merge %s\n", in.Upstream)
	out, err := in.git.Call([]byte(message), slices.Concat(making, []string{tree, "-p", in.head, "-p", in.shared, "-F", "-"})...)
	return strings.TrimSpace(string(out)), err
}
