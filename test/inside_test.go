package test

import "testing"

// In entities/, which is a mount, git looks for its repository beyond the boundary of
// a file system only where it is told to.
func TestGitInside(t *testing.T) {
	runFlows(t, gitInsideFlows, "git", "sed", "vim", "emacs", "python3")
}

// inside begins a step that is done where the entities' files are.
const inside = `export GIT_DISCOVERY_ACROSS_FILESYSTEM=1; cd $(dirname @6555) && f=6555.entity_text && `

var gitInsideFlows = []flow{
	{name: "every day", steps: `
		` + inside + `git status && git rev-parse --show-toplevel --show-prefix --git-dir && git ls-files $f && git check-ignore -v ../$f || true
		` + inside + `name $f "steel door" && git status --short && git diff && git diff --stat .
		` + inside + `git add $f && git diff --cached --name-only --relative && git commit -qm steel && git log --format=%s $f && git blame -s $f | head -12
		` + inside + `git grep -n "steel door" . && git show HEAD^:./$f | head -3 && git cat-file -e HEAD:./$f
		` + inside + `name $f "oak door" && git stash -q && git status --short && is "steel door" $f && git stash pop -q && git status --short && is "oak door" $f
		` + inside + `git checkout -q . && is "steel door" $f && git switch -q -c side HEAD^ && is "bunker door" $f && name $f "ash door" && git commit -qam ash
		` + inside + `! git merge -q main && git status --short && git checkout --theirs $f && git add . && git commit -qm merged && git log --format=%s && is "steel door" $f
		` + inside + `{ git rebase -q main 2>/dev/null || git rebase --skip 2>/dev/null; } && git status --short && git switch -q main && git merge -q side && git clean -n && git worktree list | wc -l
		` + inside + `git mv $f moved.txt && git status --short && git reset -q --hard && git rm -q $f && git restore --staged --worktree $f && is "steel door" $f
		` + inside + `printf x >new.txt && mkdir -p d && printf y >d/y && (cd d && git status --short && git add . && git commit -qm y) && git clean -fdq && ls d
		`},
	// The shell from which git is run stands in the mount while that ends and comes.
	{name: "between two mounts", steps: `
		w=$PWD; ` + inside + `name $f "steel door" && (cd $w && worldfs unmount) && cd . && git status --short && git commit -qam steel && git log --format=%s -1 && (cd $w && worldfs mount) && cd . && git status --short && is "steel door" $f && name $f "oak door" && git diff --stat
		`},
	{name: "fugitive", steps: `
		` + inside + `export FILE=$f FROM=bunker TO=cellar SAID=../said && case $PWD in */entities/*) SAID=../../said;; esac && type -- vim -N -u NORC -S "$TESTDATA/fugitive.vim" && cat $SAID && grep -qx "wrong " $SAID && rm $SAID
		git log --format=%s && is "cellar door" @6555 && test -z "$(git status --porcelain)"
		`},
	{name: "magit", steps: `
		` + inside + `FILE=$f FROM=bunker TO=cellar emacs --batch -q -l "$TESTDATA/magit.el" 2>/dev/null </dev/null
		git log --format=%s && is "cellar door" @6555 && test -z "$(git status --porcelain)"
		`},
}
