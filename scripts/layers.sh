#!/bin/sh
# Holds the imports to the house's rules, for every package: entity imports nothing of
# ours, only fsnode imports go-fuse, and nothing looks up. The table of packages in
# docs/architecture.md is made of the same; with -write it is written, else compared.
set -eu
cd "$(dirname "$0")/.."

module=$(go list -m)
page=docs/architecture.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# package: what it may import of ours. From the ground up. "any" is all but what is below
# cmd/, which is named: groups of commands use whatever they need, but not one another.
cat >"$work/rules" <<'RULES'
entity:
entity/formula: entity internal/support/portable internal/support/spelling
entity/expression: entity entity/formula internal/support/portable internal/support/spelling
entity/follow: entity
entity/reference: entity
entity/search: entity entity/reference
textcodec: entity entity/expression
interchange: entity entity/expression internal/storage/disk internal/support/spelling
packfile: entity interchange internal/storage/disk
merge: entity entity/expression entity/follow entity/reference interchange textcodec internal/compare/sequence
cache: entity entity/follow interchange merge packfile textcodec internal/storage/disk internal/storage/fileattr internal/storage/history internal/storage/packstore internal/storage/plainfiles internal/storage/state internal/storage/table internal/support/latency internal/support/lockorder internal/support/parallel internal/worldtree/greatloss internal/worldtree/layout internal/worldtree/mergerules internal/worldtree/typefile internal/worldtree/worlddir internal/worldtree/savemarks internal/compare/retarget internal/worldtree/chosen internal/storage/mend
fsnode: cache entity internal/mounting/backing internal/mounting/errnos internal/mounting/fuseconn internal/mounting/listing internal/mounting/mounts internal/mounting/place internal/mounting/prefetch internal/mounting/realfs internal/mounting/replay internal/mounting/seal internal/mounting/writers internal/storage/disk internal/support/backlog internal/support/lockorder internal/support/paged internal/worldtree/layout internal/mounting/truncation internal/mounting/misplaced internal/mounting/prepared
cmd/worldfs/internal/cli: cache entity packfile entity/expression internal/compare/changeset internal/mounting/daemon internal/mounting/events internal/storage/disk internal/support/spelling internal/worldtree/advice internal/worldtree/idalloc internal/worldtree/layout internal/worldtree/pull internal/worldtree/sparse internal/worldtree/worlddir internal/worldtree/worldform
cmd/worldfs/internal/cli/clitest: cmd/worldfs/internal/cli internal/dev/island internal/mounting/daemon internal/worldtree/worlddir
cmd/worldfs/internal/mergecost: cmd/worldfs/internal/cli internal/compare/changeset internal/mounting/daemon internal/worldtree/leftconflict internal/worldtree/resolve internal/worldtree/worlddir
cmd/worldfs/internal/settling: entity internal/mounting/daemon internal/worldtree/leftconflict internal/worldtree/marked internal/worldtree/worlddir
cmd/worldfs/internal/rangefix: cmd/worldfs/internal/cli internal/worldtree/idalloc internal/worldtree/idrange internal/worldtree/rangecheck
cmd/worldfs/internal/content: any cmd/worldfs/internal/cli cmd/worldfs/internal/rangefix cmd/worldfs/internal/settling
cmd/worldfs/internal/changes: any cmd/worldfs/internal/cli cmd/worldfs/internal/settling
cmd/worldfs/internal/mount: any cmd/worldfs/internal/cli cmd/worldfs/internal/mergecost
cmd/worldfs/internal/teamwork: any cmd/worldfs/internal/cli cmd/worldfs/internal/mergecost internal/worldtree/marked
cmd/worldfs/internal/ids: any cmd/worldfs/internal/cli cmd/worldfs/internal/rangefix
cmd/worldfs/internal/editing: any cmd/worldfs/internal/cli cmd/worldfs/internal/settling
cmd/worldfs/internal/manual:
cmd/worldfs/internal/about: any cmd/worldfs/internal/cli cmd/worldfs/internal/manual
cmd/worldfs/internal/complete: entity packfile internal/storage/disk internal/worldtree/idrange internal/worldtree/layout internal/worldtree/typefile internal/worldtree/worlddir
cmd/worldfs: cmd/worldfs/internal/about cmd/worldfs/internal/changes cmd/worldfs/internal/cli cmd/worldfs/internal/complete cmd/worldfs/internal/content cmd/worldfs/internal/editing cmd/worldfs/internal/ids cmd/worldfs/internal/mount cmd/worldfs/internal/teamwork
internal/compare/sequence:
internal/compare/textmerge: internal/support/tool
internal/compare/changeset: entity entity/expression interchange textcodec internal/compare/sequence internal/support/portable
internal/compare/retarget: entity interchange textcodec
internal/compare/conflictfile: entity interchange
internal/compare/jsonmerge: internal/compare/sequence
internal/storage/disk:
internal/storage/boltfile:
internal/storage/fileattr:
internal/storage/osfile:
internal/storage/groupcommit:
internal/storage/history: entity internal/storage/osfile
internal/storage/wal: internal/storage/disk
internal/storage/state: entity packfile textcodec internal/storage/boltfile internal/storage/disk internal/storage/fileattr internal/storage/history internal/storage/wal internal/worldtree/layout internal/worldtree/worlddir
internal/storage/packstore: entity interchange packfile internal/storage/disk internal/storage/state internal/worldtree/worlddir
internal/storage/plainfiles: entity internal/storage/disk internal/storage/fileattr internal/storage/state internal/support/parallel internal/worldtree/layout internal/worldtree/worlddir
internal/storage/mend: entity packfile internal/storage/disk internal/storage/packstore internal/storage/plainfiles internal/storage/state internal/worldtree/typefile internal/worldtree/worlddir
internal/storage/table: entity interchange merge packfile textcodec internal/storage/fileattr internal/storage/groupcommit internal/storage/history internal/storage/plainfiles internal/storage/state internal/support/latency internal/support/lockorder internal/support/paged internal/support/username internal/worldtree/greatloss internal/worldtree/layout internal/worldtree/worlddir
internal/worldtree/layout: entity
internal/worldtree/cheader: entity
internal/worldtree/advice: entity internal/worldtree/layout
internal/worldtree/typeloss: entity interchange textcodec
internal/worldtree/idrange: entity
internal/worldtree/greatloss: entity textcodec
internal/worldtree/ship: entity interchange packfile textcodec internal/storage/disk internal/worldtree/greatloss
internal/worldtree/shipreport: internal/worldtree/ship
internal/worldtree/typefile: entity entity/expression interchange internal/compare/sequence internal/storage/disk
internal/worldtree/worlddir: entity internal/storage/disk internal/storage/fileattr internal/storage/osfile internal/worldtree/gitobject internal/worldtree/layout
internal/worldtree/rangefile: internal/storage/disk internal/worldtree/idrange internal/worldtree/worlddir
internal/worldtree/machine: internal/storage/disk
internal/worldtree/mergerules: merge internal/worldtree/idrange internal/worldtree/machine internal/worldtree/rangefile internal/worldtree/worlddir
internal/worldtree/gitplace:
internal/worldtree/gitobject:
internal/worldtree/vcs: internal/support/slashname internal/support/tool internal/worldtree/gitplace internal/worldtree/gitobject
internal/worldtree/sparse: entity internal/support/tool internal/worldtree/advice internal/worldtree/layout internal/worldtree/vcs internal/worldtree/worlddir
internal/worldtree/leftovers: entity internal/worldtree/layout
internal/worldtree/svnsides: internal/storage/disk internal/worldtree/leftovers internal/worldtree/worlddir
internal/worldtree/svnmoved: entity internal/worldtree/layout internal/worldtree/vcs internal/worldtree/worlddir internal/worldtree/worldform
internal/worldtree/svnrecord: internal/worldtree/worlddir
internal/worldtree/usedids: entity internal/storage/history internal/support/tool internal/worldtree/layout internal/worldtree/vcs internal/worldtree/worlddir
internal/worldtree/idalloc: entity internal/storage/disk internal/storage/osfile internal/support/username internal/worldtree/idrange internal/worldtree/machine internal/worldtree/rangefile internal/worldtree/usedids internal/worldtree/vcs internal/worldtree/worlddir
internal/worldtree/rangecheck: internal/worldtree/svnrecord entity internal/support/tool internal/worldtree/idalloc internal/worldtree/idrange internal/worldtree/layout internal/worldtree/rangefile internal/worldtree/usedids internal/worldtree/vcs internal/worldtree/worlddir
internal/worldtree/namecheck: entity entity/expression internal/storage/disk internal/support/spelling internal/worldtree/typefile internal/worldtree/worlddir
internal/worldtree/rangepublish: internal/storage/disk internal/support/tool internal/worldtree/idalloc internal/worldtree/idrange internal/worldtree/rangefile internal/worldtree/vcs internal/worldtree/worlddir
internal/worldtree/worldform: cache entity interchange merge packfile textcodec internal/mounting/daemon internal/storage/disk internal/storage/osfile internal/worldtree/layout internal/worldtree/typefile internal/worldtree/vcs internal/worldtree/worlddir
internal/worldtree/revisiondir: cache entity internal/worldtree/greatloss internal/worldtree/layout internal/worldtree/vcs internal/worldtree/worlddir
internal/worldtree/revision: entity internal/support/tool internal/worldtree/vcs internal/worldtree/worlddir internal/worldtree/worldform
internal/worldtree/gitlog: entity internal/worldtree/layout internal/worldtree/vcs
internal/worldtree/renumbered: entity entity/reference merge textcodec internal/worldtree/gitlog internal/worldtree/layout internal/worldtree/vcs internal/worldtree/worldform
internal/worldtree/filemerge: entity merge textcodec internal/compare/sequence internal/compare/textmerge internal/storage/disk internal/worldtree/idrange internal/worldtree/layout internal/worldtree/typefile internal/worldtree/worlddir
internal/worldtree/creators: entity internal/support/tool internal/worldtree/vcs merge internal/worldtree/gitlog
internal/worldtree/gitapplied: internal/worldtree/vcs
internal/worldtree/gitsides: entity merge textcodec internal/worldtree/gitlog internal/worldtree/layout internal/worldtree/vcs internal/worldtree/worldform internal/worldtree/renumbered
internal/worldtree/arrivals: entity merge
internal/worldtree/settledfile: entity merge
internal/worldtree/pullrecord: internal/worldtree/vcs internal/worldtree/worlddir
internal/worldtree/svnmergeinfo: internal/support/tool
internal/worldtree/keptfile: internal/worldtree/worlddir
internal/worldtree/chosen: entity internal/worldtree/keptfile internal/worldtree/worlddir
internal/worldtree/resolvelock: internal/storage/disk internal/storage/osfile
internal/worldtree/leftconflict: entity merge
internal/worldtree/savemarks: entity internal/worldtree/keptfile internal/worldtree/worlddir textcodec
internal/worldtree/resolved: internal/worldtree/leftconflict internal/worldtree/vcs
internal/worldtree/lostedits: entity merge internal/worldtree/keptfile internal/worldtree/layout internal/worldtree/leftconflict internal/worldtree/vcs internal/worldtree/worlddir
internal/worldtree/resolve: cache entity entity/follow interchange internal/compare/changeset internal/compare/sequence internal/compare/textmerge internal/storage/disk internal/worldtree/arrivals internal/worldtree/creators internal/worldtree/filemerge internal/worldtree/gitapplied internal/worldtree/gitsides internal/worldtree/idrange internal/worldtree/keptfile internal/worldtree/layout internal/worldtree/leftconflict internal/worldtree/lostedits internal/worldtree/mergerules internal/worldtree/pullrecord internal/worldtree/renumbered internal/worldtree/resolved internal/worldtree/resolvelock internal/worldtree/savemarks internal/worldtree/settledfile internal/worldtree/svnmergeinfo internal/worldtree/svnmoved internal/worldtree/svnrecord internal/worldtree/svnsides internal/worldtree/typefile internal/worldtree/vcs internal/worldtree/worlddir internal/worldtree/worldform merge textcodec internal/worldtree/gitlog
internal/worldtree/marked: internal/worldtree/leftconflict cache entity merge textcodec internal/compare/textmerge internal/storage/disk internal/worldtree/filemerge internal/worldtree/idrange internal/worldtree/layout internal/worldtree/resolve internal/worldtree/typefile internal/worldtree/worlddir
internal/worldtree/pull: internal/worldtree/resolvelock internal/worldtree/pullrecord entity textcodec internal/worldtree/greatloss internal/worldtree/layout internal/worldtree/resolve internal/worldtree/vcs internal/worldtree/worlddir internal/worldtree/worldform internal/worldtree/svnrecord internal/storage/osfile internal/compare/textmerge internal/storage/disk internal/worldtree/typefile
internal/worldtree/asking: entity merge internal/worldtree/resolve
internal/worldtree/ownpart: internal/storage/disk
internal/worldtree/gitsetup: internal/storage/disk internal/worldtree/layout internal/worldtree/ownpart internal/worldtree/vcs
internal/worldtree/gitstopped: entity internal/worldtree/gitplace internal/worldtree/vcs internal/worldtree/worlddir
internal/worldtree/commitcheck: internal/worldtree/pullrecord entity internal/mounting/daemon internal/worldtree/greatloss internal/worldtree/idrange internal/worldtree/layout internal/worldtree/resolve internal/worldtree/svnrecord internal/worldtree/vcs internal/worldtree/worlddir internal/worldtree/worldform
internal/worldtree/vcssync: entity internal/storage/disk internal/worldtree/layout internal/worldtree/vcs internal/worldtree/worlddir
internal/worldtree/svnsetup: entity textcodec internal/storage/disk internal/worldtree/layout internal/worldtree/ownpart internal/worldtree/vcs internal/worldtree/vcssync internal/worldtree/worlddir
internal/mounting/account:
internal/mounting/mounts:
internal/mounting/fuseconn: internal/mounting/mounts
internal/mounting/realfs: internal/storage/fileattr internal/support/lockorder
internal/mounting/place: internal/mounting/realfs internal/support/lockorder
internal/mounting/prepared: internal/mounting/place internal/mounting/realfs internal/storage/fileattr
internal/mounting/misplaced: entity internal/mounting/realfs internal/worldtree/layout
internal/mounting/prefetch: cache entity internal/mounting/mounts internal/worldtree/layout
internal/mounting/backing: cache internal/mounting/place internal/mounting/realfs internal/support/lockorder
internal/mounting/listing: cache entity internal/worldtree/layout
internal/mounting/errnos: cache
internal/mounting/seal: internal/mounting/fuseconn internal/support/lockorder
internal/mounting/truncation:
internal/mounting/replay: cache entity internal/mounting/fuseconn internal/mounting/prefetch internal/mounting/realfs internal/mounting/seal internal/support/lockorder
internal/mounting/connlimit:
internal/mounting/socket: internal/worldtree/worlddir
internal/mounting/writers: cache entity internal/support/username
internal/mounting/events: cache entity interchange merge textcodec internal/storage/history
internal/mounting/conflicts: cache entity interchange merge textcodec internal/compare/conflictfile internal/storage/history internal/storage/osfile internal/worldtree/advice internal/worldtree/layout internal/worldtree/leftovers internal/worldtree/typefile internal/worldtree/worlddir
internal/mounting/desktop: entity internal/storage/history
internal/mounting/notable: cache entity internal/mounting/events internal/worldtree/advice internal/worldtree/vcssync
internal/mounting/vcswatch: cache entity internal/storage/history internal/worldtree/layout internal/worldtree/svnsides internal/worldtree/vcs internal/worldtree/vcssync internal/worldtree/worlddir
internal/mounting/idlemem:
internal/mounting/plaintree: cache internal/storage/disk internal/storage/osfile internal/worldtree/layout internal/worldtree/vcs internal/worldtree/worlddir
internal/mounting/selection: entity
internal/mounting/daemon: cache entity fsnode interchange merge packfile textcodec internal/compare/changeset internal/compare/conflictfile internal/mounting/changelog internal/mounting/conflicts internal/mounting/connlimit internal/mounting/desktop internal/mounting/events internal/mounting/idlemem internal/mounting/mounts internal/mounting/notable internal/mounting/plaintree internal/mounting/prefetch internal/mounting/vcswatch internal/storage/disk internal/storage/history internal/storage/mend internal/storage/osfile internal/storage/packstore internal/worldtree/advice internal/worldtree/idalloc internal/worldtree/layout internal/worldtree/mergerules internal/worldtree/namecheck internal/worldtree/rangecheck internal/worldtree/rangefile internal/worldtree/ship internal/worldtree/vcs internal/worldtree/vcssync internal/worldtree/worlddir internal/mounting/selection internal/mounting/socket
internal/support/dirwatch:
internal/mounting/changelog: cache entity merge textcodec internal/mounting/events internal/storage/history
internal/support/latency:
internal/support/backlog: internal/support/lockorder
internal/support/lockorder:
internal/support/paged:
internal/support/parallel:
internal/support/portable:
internal/support/slashname:
internal/support/tool:
internal/support/spelling:
internal/support/username:
entity/entitytest: entity
internal/dev/island: entity entity/expression
internal/dev/realworld:
internal/dev/measure:
internal/dev/measure/cmd: internal/dev/measure
internal/dev/mergestudy: entity merge textcodec internal/worldtree/layout internal/worldtree/typefile
internal/dev/mergestudy/cmd: internal/dev/mergestudy
internal/dev/bench: any
editors:
test/arm64:
test/windows:
test/windows/gitshim:
test/install:
examples:
engine:
test: any
RULES

go list -f '{{.ImportPath}}|{{join .Imports " "}}|{{.Doc}}' ./... | sed "s#$module/##g" >"$work/packages"

awk -F'|' -v rules="$work/rules" -v table="$work/table" '
function fail(message) { print "layers: " message >"/dev/stderr"; bad = 1 }
BEGIN {
	while ((getline line <rules) > 0) {
		split(line, part, ":")
		order[++n] = part[1]; may[part[1]] = part[2] " "
	}
}
{
	imports[$1] = $2; doc[$1] = $3; ours[$1] = 1
	if (!($1 in may)) fail($1 " has no rule: add one to scripts/layers.sh")
}
END {
	for (p in imports) {
		count = split(imports[p], all, " ")
		for (i = 1; i <= count; i++) {
			if (all[i] ~ /^github.com\/hanwen\/go-fuse/ && p != "fsnode" && p != "test") fail(p " imports go-fuse; only fsnode does")
			if (!(all[i] in ours) || !(p in may) || may[p] ~ / any / && all[i] !~ /^cmd\//) continue
			if (index(may[p], " " all[i] " ") == 0) fail(p " imports " all[i])
		}
	}
	print "| package | what it is | imports of ours |\n|---|---|---|" >table
	for (i = 1; i <= n; i++) {
		p = order[i]
		if (!(p in ours)) { fail("the rule of " p " is about no package"); continue }
		text = doc[p]; sub(/^(Package|Command) [a-z0-9]+ /, "", text); sub(/[.:]$/, "", text)
		if (p == "test") text = "end to end: the built program, real mounts, real git, svn and editors"
		used = ""; count = split(imports[p], all, " ")
		for (j = 1; j <= count; j++) if (all[j] in ours) { short = all[j]; sub(/.*\//, "", short); used = used (used == "" ? "" : ", ") short }
		printf "| `%s` | %s | %s |\n", p, text, used == "" ? "none" : used >table
	}
	exit bad
}' "$work/packages"

awk -v table="$work/table" '
/<!-- packages: / { print; while ((getline line <table) > 0) print line; skip = 1; next }
/<!-- end of packages -->/ { skip = 0 }
!skip' "$page" >"$work/page"
if [ "${1-}" = -write ]; then
	cat "$work/page" >"$page"
elif ! cmp -s "$work/page" "$page"; then
	echo "layers: the table of packages in $page is not up to date: scripts/layers.sh -write" >&2
	exit 1
fi
