package pull

import (
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
	own, err := in.log(in.shared + ".." + in.head)
	if err != nil || len(own) == 0 {
		return r, err
	}
	if slices.ContainsFunc(own, func(c Commit) bool { return c.merge }) {
		r.merged = true
		r.tip, err = in.join()
		return r, err
	}
	for _, c := range slices.Backward(own) {
		next, err := in.anew(c, r.tip)
		switch {
		case err != nil:
			return r, fmt.Errorf("make the commit %.7s %q anew: %w", c.ID, c.Subject, err)
		case next == r.tip:
			r.dropped++
		default:
			r.made++
		}
		r.tip = next
	}
	return r, nil
}

// mergedTree returns the tree of one of the person's commits, merged with what is shared.
func (in *gitPull) mergedTree(commit string) (string, error) {
	all, err := in.mergeWorld(commit)
	if err != nil {
		return "", err
	}
	others, conflicts, err := in.mergeOutside(commit)
	if err != nil {
		return "", err
	}
	if len(conflicts) > 0 {
		return "", fmt.Errorf("%w: git cannot merge %s; git pull does, and asks you about them", ErrOutside, strings.Join(conflicts, ", "))
	}
	all.Write(others.Bytes())
	return in.treeOf(in.shared, all)
}

// anew makes a commit on a parent: the parent itself if nothing of it is left.
func (in *gitPull) anew(c Commit, parent string) (string, error) {
	tree, err := in.mergedTree(c.ID)
	if err != nil {
		return "", err
	}
	trees, err := in.git.Line("log", "-1", "--format=%T", parent, "--")
	if err != nil {
		return "", err
	}
	if trees == tree && !in.isEmpty(c.ID) {
		return parent, nil
	}
	who, err := in.git.Line("log", "-1", "--encoding=UTF-8", "--date=raw", "--format=%an%x00%ae%x00%ad", c.ID, "--")
	if err != nil {
		return "", err
	}
	message, err := in.git.Call(nil, "log", "-1", "--encoding=UTF-8", "--format=%B", c.ID, "--")
	if err != nil {
		return "", err
	}
	words := strings.SplitN(who, "\x00", 3)
	if len(words) != 3 {
		return "", fmt.Errorf("git log printed what cannot be read: %q", who)
	}
	git := in.git.With("GIT_AUTHOR_NAME="+words[0], "GIT_AUTHOR_EMAIL="+words[1], "GIT_AUTHOR_DATE="+words[2])
	out, err := git.Call(message, append(in.commitArgs(), tree, "-p", parent, "-F", "-")...)
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
func (in *gitPull) join() (string, error) {
	tree, err := in.mergedTree(in.head)
	if err != nil {
		return "", err
	}
	message := fmt.Sprintf("Merge %s\n", in.Upstream)
	out, err := in.git.Call([]byte(message), append(in.commitArgs(), tree, "-p", in.head, "-p", in.shared, "-F", "-")...)
	return strings.TrimSpace(string(out)), err
}
