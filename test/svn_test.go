package test

import "testing"

func TestSubversion(t *testing.T) {
	runFlows(t, someOf(t, svnFlows), "svn", "svnadmin", "sed", "python3")
}

const svnFacts = `svn status -v; svn proplist -Rv; svn diff; stat -c '%n %a' entities/*`

// svnFlows begin with a world in a working copy of a Subversion repository
// instead of git's, mounted in the shape that suits it, and a colleague's
// working copy in ../c.
var svnFlows = []flow{
	{name: "commit, update, revert, move", facts: svnFacts, steps: svnInit + `
		name @6555 "steel door" && svn diff && svn commit -qm steel && svn status
		cd ../c && svn update -q && name @6555 "oak door" && name @10000 "old lamp" && svn commit -qm oak
		svn update && svn status
		svn update -q -r 1 && svn status && svn update -q
		name @6555 "ash door" && rm @10001 && svn status && svn revert -q -R . && svn status
		add @10001 10002 @10002 && svn status && svn add -q @10002 && svn commit -qm new
		svn delete -q @10002 && svn commit -qm away && svn update -q -r 4 && svn update -q && svn status
		svn copy -q @10000 @10003 && sed -i 3s/.*/10003/ @10003 && svn commit -qm copy
		svn move -q @10003 @10004 && sed -i 3s/.*/10004/ @10004 && svn status && svn commit -qm moved
		printf 'notes\n' >entities/notes.txt && svn add -q entities/notes.txt && svn commit -qm notes
		svn move -q entities/notes.txt notes.txt && svn commit -qm up && svn move -q notes.txt entities/readme.txt && svn commit -qm down
		svn move -q @10004 door.txt && svn commit -qm out && svn move -q door.txt @10004 && svn commit -qm in && svn status
		`},
	{name: "conflict, resolve", facts: svnFacts, steps: svnInit + `
		cd ../c && name @6555 "steel door" && name @10000 "old lamp" && name @10001 "new lamp" && svn commit -qm steel
		name @6555 "oak door" && name @10000 "big lamp" && name @10001 "small lamp" && svn update --accept postpone
		svn status && svn diff && ls entities
		svn resolve -q --accept mine-full @6555 && svn resolve -q --accept theirs-full @10000 && svn status
		sed -i '/^<<<<<<</d; /^|||||||/,/^>>>>>>>/d' @10001 && svn resolve -q --accept working @10001 && svn diff && svn commit -qm resolved && svn status
		cd ../c && svn update -q && name @10001 "red lamp" && svn commit -qm red
		name @10001 "white lamp" && svn update --accept mine-full && svn status && svn commit -qm white
		cd ../c && svn update -q && svn delete -q @10001 && svn commit -qm away
		name @10001 "black lamp" && svn update -q --accept postpone && svn status
		svn resolve -q --accept working @10001 && svn revert -q @10001 && svn status
		`},
	{name: "branch, switch, merge, lock", facts: svnFacts, steps: svnInit + `
		svn copy -qm side "$repo/entities" "$repo/side" && svn update -q && svn update -q --set-depth exclude side
		svn switch -q "$repo/side" entities && svn status
		name @6555 "steel door" && add @10001 10002 @10002 && svn add -q @10002 && svn commit -qm side
		svn switch -q "$repo/entities" entities && svn status
		name @10000 "old lamp" && svn delete -q @10001 && svn commit -qm main && svn update -q
		svn merge -q "$repo/side" entities && svn status && svn commit -qm merged && svn update -q
		svn switch -q "$repo/side" entities && svn switch -q "$repo/entities" entities && svn status
		svn merge -q -c -4 . && svn status && svn revert -q -R . && svn status
		svn propset -q svn:needs-lock yes @6555 @10000 && svn commit -qm locks && stat -c '%n %a' @6555 @10000
		svn lock -q @6555 && stat -c '%n %a' @6555 @10000 && name @6555 "oak door" && svn commit -qm oak && stat -c '%n %a' @6555
		svn lock -q @6555 && svn unlock -q @6555 && stat -c '%n %a' @6555
		cd ../c && svn update -q && svn lock -q @10000 && name @10000 "big lamp" && svn commit -q --no-unlock -m lamp
		svn update -q && ! svn lock @10000 && svn lock -q --force @10000 && stat -c '%n %a' @10000
		svn unlock -q @10000 && svn propdel -q svn:needs-lock @10000 && stat -c '%n %a' @10000 && svn commit -qm free && svn status
		`},
	{name: "checkout, cleanup, sparse", facts: svnFacts, steps: svnInit + `
		name @6555 "steel door" && svn commit -qm steel
		rm -rf .svn entities/* types && svn checkout -q --force "$repo" . && svn status
		rm -rf .svn && name @6555 "oak door" && svn checkout -q --force "$repo" . && svn status && svn revert -q -R . && svn status
		python3 -c "import sqlite3; c = sqlite3.connect('.svn/wc.db'); c.execute('insert into wc_lock values (1, ?, -1)', ('',)); c.commit()"
		! svn update -q && svn cleanup && svn update -q && svn status
		touch entities/x.swp lost && svn cleanup --remove-unversioned && svn status
		rm -rf entities/* && svn status >../status && sort ../status | head -3 && rm ../status && svn update -q && svn status
		svn update -q --set-depth empty entities && svn status && ls entities
		svn update -q --set-depth infinity entities && svn status
		svn update -q --set-depth exclude @6555 && svn status && svn update -q --set-depth infinity @6555 && svn status
		svn update -q --set-depth exclude entities types && svn status && ! ls entities types
		svn update -q --set-depth infinity entities types && svn status
		`},
}

const svnInit = `
		rm -rf .git && svnadmin create ../svn-repo && svnadmin setuuid ../svn-repo 6fa459ea-ee8a-4ca4-894e-db77e160355e && svn checkout -q --force "file://$(cd .. && pwd -P)/svn-repo" . && printf 'world.pack\n.*.pack.*\n.worldfs\n' >../ignore && svn propset -q svn:ignore -F ../ignore . && rm ../ignore
		svn add -q --force . && svn commit -qm world && svn update -q && svn checkout -q "$repo" ../c && svn status
		worldfs unmount && worldfs mount
		`
