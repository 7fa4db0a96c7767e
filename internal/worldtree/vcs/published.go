package vcs

import "context"

// IsPublished reports whether a commit is in a branch of another repository, as far as
// this one has heard. What cannot be asked is not.
func (g Git) IsPublished(commit string) bool {
	r, err := g.open(context.Background())
	if err != nil {
		return false
	}
	out, err := r.git(context.Background(), "for-each-ref", "--count=1", "--contains="+commit, "refs/remotes").Text()
	return err == nil && len(out) > 0
}

// Contains reports whether a commit is another, or comes after it. What cannot be asked does
// not.
func (g Git) Contains(commit, other string) bool {
	if !isObjectID(commit) || !isObjectID(other) {
		return false // git is called with nothing else that a damaged record says
	}
	r, err := g.open(context.Background())
	if err != nil {
		return false
	}
	_, err = r.git(context.Background(), "merge-base", "--is-ancestor", other, commit).Text()
	return err == nil
}

// Changed reports whether one of some files is another in one of the commits that one has
// and another has not. What cannot be asked is not.
func (g Git) Changed(since, commit string, names []string) bool {
	r, err := g.open(context.Background())
	if err != nil || !isObjectID(since) || !isObjectID(commit) {
		return false
	}
	args := []string{"rev-list", "-n1", commit, "^" + since, "--"}
	for _, name := range names {
		args = append(args, r.prefix+name)
	}
	out, err := r.git(context.Background(), args...).Text()
	return err == nil && len(out) > 0
}
