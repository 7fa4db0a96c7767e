package test

// gitFlows is what people do with git in a world: each line a step.
var gitFlows = []flow{
	{name: "init, add and commit", steps: `
		rm -rf .git
		git init -q && git add -A && git commit -qm world && git status
		name @6555 "steel door" && git diff
		git add @6555 && git commit -qm door && git status
		name @6555 "oak door" && name @10000 "old lamp" && git commit -qm lamp @10000 && git status
		git commit -qa --amend -m both && git status
		git rm -q @10001 && git commit -qm away && git status
		printf 'notes\n' >entities/notes.txt && git status --porcelain && git add -A && git commit -qm notes && git status
		git mv entities/notes.txt entities/readme.txt && git commit -qm moved && git status
		printf 'y\n' | git add -p; name @6555 "ash door" && printf 'y\n' | git add -p >/dev/null && git status
		git commit -qm patch && git log --stat --format=%s
		`},
	{name: "add a new entity", steps: `
		add @10001 10002 @10002 && git status --porcelain
		git add -N @10002 && git diff
		git add -A && git commit -qm new && git show --stat
		git mv @10002 @10003 && sed -i 3s/.*/10003/ @10003 && git commit -qam moved && git status
		git reset -q --hard HEAD^ && git status
		`},
	{name: "clone, push and pull", steps: `
		git clone -q . ../c && git clone -q --bare . ../bare.git && git -C ../bare.git fsck && rm -rf ../bare.git
		cd ../c && worldfs mount && git status
		cd ../c && name @6555 "steel door" && git commit -qam door && git status
		git pull -q ../c main && git status
		name @10000 "old lamp" && git commit -qam lamp
		cd ../c && name @10001 "new lamp" && git commit -qam lamp && git pull -q --rebase ../w main && git status
		cd ../c && git log --format='%H %s' && worldfs unmount
		git pull -q ../c main && git status
		`},
	{name: "branch with and without entities", steps: `
		cp .gitignore .git/info/exclude && git switch -q --orphan empty && git status && git commit -q --allow-empty -m empty && git hash-object -w -t tree /dev/null && git status
		git switch -q main && git status
		git switch -q -c without && git rm -rq entities && git status --porcelain | grep -c .
		git commit -qm without && git status
		git checkout -q main && git status
		git checkout -q without && git status
		git checkout -q main && name @6555 "steel door" && git commit -qam door
		git switch -q empty && git switch -q main && git status
		! git merge -q -m merged without -X theirs && git status --porcelain
		git merge --abort && git status
		`},
	{name: "unmounted while the branch has no entities", steps: `
		git switch -q -c without && git rm -rq entities && git commit -qm without && git status
		worldfs unmount --allow-loss && git status && git checkout -q main && git status
		git checkout -q without && git status
		worldfs mount --allow-loss && git status
		git checkout -q main && git status
		`},
	{name: "checkout", steps: `
		for i in 1 2 3; do name @6555 "door $i"; name @10000 "lamp $i"; git commit -qam $i; done
		git checkout -q HEAD~2 && git status
		git checkout -q - && git status
		git checkout -q -b side HEAD~1 && name @6555 mine && ! git checkout -q main
		git checkout -q -f main && git status
		name @6555 mine && git checkout HEAD~3 -- entities && git status
		git restore --staged --worktree . && git status
		rm $all && git status --porcelain | grep -c .
		git restore . && git status
		rm -rf entities/* && git checkout -q . && git status
		`},
	{name: "checkout by four workers", steps: `
		git config checkout.workers 4 && git config checkout.thresholdForParallelism 1
		sed -i 's/$/ /' $all && git commit -qam spaces && git status
		git checkout -q HEAD^ && git status
		git checkout -q main && git status
		git rm -rq entities && git commit -qm without && git checkout -q HEAD^ && git status
		git checkout -q HEAD^ && git status
		`},
	{name: "merge", steps: `
		git switch -q -c side && name @6555 "steel door" && add @10001 10002 @10002 && git add -A && git commit -qm side
		git switch -q main && name @10000 "old lamp" && git rm -q @10001 && git commit -qam main
		git merge -q -m merged side && git status
		git log --graph --format=%s && git diff HEAD^1 && git diff HEAD^2
		git switch -q -c ahead && name @6555 "oak door" && git commit -qam oak && git switch -q main && git merge -q --ff-only ahead && git status
		git revert --no-edit HEAD >/dev/null && git status
		`},
	{name: "merge, conflict, ours", steps: conflict + `
		! git merge side && git diff && git status
		git checkout --ours @6555 && git diff && git add @6555 && git commit -qm ours && git status
		`},
	{name: "merge, conflict, theirs", steps: conflict + `
		! git merge side && git status --porcelain
		git checkout --theirs @6555 && git add @6555 && git commit -qm theirs && git status
		`},
	{name: "merge, conflict, by hand", steps: conflict + `
		! git merge -q side && sed -i '/^<<<<<<</d;/^=======/,/^>>>>>>>/d' @6555 && git commit -qam hand && git status
		`},
	{name: "merge, conflict, abort", steps: conflict + `
		! git merge side && cat @6555
		git merge --abort && git status
		`},
	{name: "merge, deleted against changed", steps: `
		git switch -q -c side && git rm -q @6555 && git commit -qm away
		git switch -q main && name @6555 "oak door" && git commit -qam oak
		! git merge side && git status
		git rm -q @6555 && git commit -qm gone && git status
		git reset -q --hard HEAD^ && git status
		! git merge side && git add @6555 && git commit -qm kept && git status
		`},
	{name: "a merge that is left in conflict", unclean: true, steps: conflict + `
		! git merge -q side && git status
		`},
	{name: "rebase", steps: `
		git switch -q -c side && for i in 1 2 3; do name @10000 "lamp $i"; git commit -qam $i; done
		git switch -q main && name @6555 "oak door" && git commit -qam oak
		git switch -q side && git rebase -q main && git status
		git rebase -q -i --exec 'git diff --quiet' HEAD~2 && git status
		GIT_SEQUENCE_EDITOR='sed -i 2s/pick/squash/' git rebase -q -i HEAD~2 && git status
		git log --stat --format=%s
		`},
	{name: "rebase, conflict, continue", steps: conflict + `
		git switch -q side && ! git rebase main && git status
		git checkout --theirs @6555 && git add @6555 && git rebase --continue && git status
		`},
	{name: "rebase, conflict, skip", steps: conflict + `
		git switch -q side && ! git rebase main && git rebase --skip && git status
		`},
	{name: "rebase, conflict, abort", steps: conflict + `
		git switch -q side && ! git rebase main && git diff
		git rebase --abort && git status
		`},
	{name: "stash and pop", steps: `
		name @6555 "steel door" && git stash -q && git status
		git stash pop -q && git status
		printf 'notes\n' >entities/notes.txt && rm @10001 && add @10000 10002 @10002 && git stash -q -u && git status
		name @10000 "old lamp" && git commit -qam lamp && git stash pop -q && git status
		git add -A && git stash -q && git stash apply -q --index && git status
		git reset -q --hard && git stash drop -q && git status
		`},
	{name: "stash, conflict", steps: `
		name @6555 "steel door" && git stash -q && name @6555 "oak door" && git commit -qam oak
		! git stash pop && git status
		git checkout -q --theirs @6555 && git reset -q && git stash drop -q && git status
		`},
	{name: "cherry-pick", steps: `
		git switch -q -c side && name @6555 "steel door" && git commit -qam steel && name @10000 "old lamp" && git commit -qam lamp
		git switch -q main && git cherry-pick side >/dev/null && git status
		name @6555 "oak door" && git commit -qam oak
		! git cherry-pick side^ && git status
		git cherry-pick --abort && git status
		! git cherry-pick side^ && git checkout --theirs @6555 && git add @6555 && git cherry-pick --continue >/dev/null && git status
		`},
	{name: "clean", steps: `
		printf 'x\n' >entities/x.txt && mkdir -p entities/d/e && printf 'y\n' >entities/d/e/y && ln -s x.txt entities/link && add @10000 10002 @10002
		git clean -n -d && git clean -fdq && git status
		printf 'x\n' >entities/x~ && printf '*~\n' >.git/info/exclude && git clean -fdq && git status && git clean -n -dX entities
		git clean -fdxq entities && git status
		`},
	// .worldfs and the pack, too. It may say that it could not remove all: what
	// it has removed comes back, and covered, .worldfs is not to be changed.
	{name: "clean of all that git does not know", steps: cleanAll},
	{name: "clean of all that git does not know, covered", steps: `
		worldfs unmount && worldfs mount --cover .` + cleanAll},
	{name: "worktree", steps: `
		git worktree add -q ../t -b side && cd ../t && worldfs mount && git status
		cd ../t && name @6555 "steel door" && git commit -qam steel && git status
		git merge -q side && git status
		cd ../t && name @10000 "old lamp" && git commit -qam lamp && worldfs unmount && git status
		git merge -q side && git worktree remove --force ../t && git worktree prune && git status
		`},
	{name: "gc", steps: `
		for i in 1 2 3; do name @6555 "door $i"; git commit -qam $i; done
		git repack -adq && git gc -q --prune=now && git status
		git reset -q --hard HEAD~2 && git reflog expire --expire=now --all && git gc -q --prune=now && git status
		`},
	{name: "reset", steps: `
		for i in 1 2 3; do name @6555 "door $i"; git commit -qam $i; done
		git reset -q --soft HEAD^ && git status
		git reset -q HEAD^ && git status
		git reset -q --hard && git status
		git rm -rq entities && git reset -q --hard && git status
		git rm -rq --cached entities && git status --porcelain | grep -c . && git reset -q && git status
		git reset -q --keep HEAD^ && git status
		`},
	{name: "rm -r entities and back", steps: `
		git rm -rq entities && git status --porcelain | grep -c .
		git checkout -q HEAD -- entities && git status
		rm -rf entities/* && git status --porcelain | grep -c .
		git restore entities && git status
		git rm -rq entities && git commit -qm away && git revert --no-edit HEAD >/dev/null && git status
		`},
	{name: "bisect", steps: `
		for i in 1 2 3 4 5 6; do name @6555 "door $i"; git commit -qam $i; done
		git bisect start HEAD HEAD~6 && git bisect run grep -q 'door [123]"\|bunker' @6555
		git status && git bisect log | grep 'first bad commit: .* 4$' && git bisect reset && git status
		`},
	{name: "untracked cache", steps: `
		git config core.untrackedCache true && git config core.fsmonitor false && git update-index --force-untracked-cache && git status
		printf 'x\n' >entities/x.txt && git status
		printf 'x\n' >entities/y.txt && rm entities/x.txt && git status
		add @10000 10002 @10002 && git status
		git add -A && git commit -qm new && git status
		rm @10002 entities/y.txt && git status
		git reset -q --hard && git status
		`},
	// After the attributes have changed, git believes a file with the old line
	// ends to be the same for as long as it does not read it: which it does, on
	// any file system, by the tick of the clock in which it wrote its index. So
	// the files are made anew before it is asked.
	{name: "line ends that git makes", steps: `
		printf '*.entity_text text eol=crlf\n' >.gitattributes && git add -A && git commit -qm crlf && rm -r entities/* && git checkout -q . && git status
		name @6555 "steel door" && git commit -qam steel && git status && file=$(git show HEAD:@6555 | wc -c) && test $file -lt $(wc -c <@6555)
		git checkout -q HEAD~2 && rm -r entities/* && git checkout -q . && git status && is "bunker door" @6555
		git checkout -q main && git status && git diff --exit-code HEAD^ HEAD~2 -- entities
		`},
	{name: "patches", steps: `
		name @6555 "steel door" && git diff >../p && git checkout -q . && git apply ../p && git status
		git commit -qam steel && git rm -q @10001 && git commit -qm away && git format-patch -q -o ../patches HEAD~2 && git reset -q --hard HEAD~2
		git am -q ../patches/* && git status
		git -c tar.umask=user archive HEAD entities | tar x && git status
		git apply -R ../p && git status && git checkout-index -qfa && git status
		`},
	{name: "sparse checkout", steps: `
		git sparse-checkout init --no-cone && git sparse-checkout set /world.toml /types '/entities/6*' && git status
		git sparse-checkout disable && git status
		`},
	{name: "chmod", steps: `
		chmod 755 @6555 && git status && git commit -qam mode && git checkout -q HEAD^ && git status
		git checkout -q main && git status && git config core.fileMode false && chmod 644 @6555 && git status
		`},
	{name: "between two mounts", steps: `
		name @6555 "steel door" && worldfs unmount && git status
		git commit -qam steel && name @10000 "old lamp" && rm @10001 && add @10000 10002 @10002 && chmod 755 @6005 && git status
		worldfs mount && git status && git add -A && git commit -qm lamps && git status
		worldfs unmount && git checkout -q HEAD^ && git status
		worldfs mount && git checkout -q main && git status
		worldfs unmount && git gc -q && git clean -fdq && worldfs mount && git status
		`},
}

const cleanAll = `
		name @6555 "steel door" && printf 'x\n' >entities/x.txt && add @10000 10002 @10002
		git clean -fdxq || true; ! ls entities/x.txt @10002 && git status && is "steel door" @6555
		name @10000 "old lamp" && printf 'x\n' >x && git clean -fdxq . || true; ! ls x && git status && git commit -qam lamp
		worldfs sync && worldfs unmount && worldfs mount && git status
		git clean -fdxq || true; git checkout -q HEAD^ && git status && git checkout -q main && git status
		`

// conflict makes a branch, side, that conflicts with main in one line.
const conflict = `
		git switch -q -c side && name @6555 "steel door" && git commit -qam steel
		git switch -q main && name @6555 "oak door" && git commit -qam oak
		`
