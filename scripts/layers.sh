#!/bin/sh
# Holds the imports to the house's rules: entity imports nothing of ours, only
# fsnode imports go-fuse, and nothing looks up.
set -eu

module=$(go list -m)
bad=0
fail() {
	echo "layers: $1" >&2
	bad=1
}

imports() { go list -f '{{join .Imports "\n"}}' "./$1"; }

# package: what it may import of ours
rule() {
	for import in $(imports "$1" | grep "^$module/" || true); do
		case " $2 " in
		*" ${import#"$module"/} "*) ;;
		*) fail "$1 imports ${import#"$module"/}" ;;
		esac
	done
}

rule entity ""
rule textcodec "entity"
rule interchange "entity disk"
rule typefile "entity interchange disk sequence"
rule disk ""
rule wal "disk"
rule boltfile ""
rule layout "entity"
rule packfile "entity interchange disk"
rule worlddir "entity layout disk"
rule island "entity"
rule sequence ""
rule paged ""
rule history "entity"
rule idrange "entity"
rule merge "entity interchange textcodec sequence"
rule jsonmerge "sequence"
rule conflictfile "entity interchange"
rule changeset "entity interchange sequence"
rule internal/fileattr ""
rule internal/state "entity layout textcodec packfile disk wal boltfile worlddir history internal/fileattr"
rule internal/packstore "entity disk packfile worlddir internal/state"
rule internal/groupcommit ""
rule internal/latency ""
rule internal/parallel ""
rule internal/plainfiles "entity layout disk worlddir internal/fileattr internal/parallel internal/state"
rule cache "entity layout textcodec packfile interchange typefile worlddir disk merge idrange history paged internal/fileattr internal/groupcommit internal/latency internal/lockorder internal/packstore internal/parallel internal/plainfiles internal/state"
rule internal/lockorder ""
rule internal/mounts ""
rule internal/prefetch "cache entity layout internal/mounts"
rule fuseconn "internal/mounts"
rule fsnode "cache entity layout paged fuseconn internal/lockorder internal/mounts internal/prefetch"
rule vcs ""
rule worldform "entity layout textcodec packfile interchange typefile worlddir disk cache daemon vcs"

for package in $(go list ./... | grep -v "^$module/fsnode$" | grep -v "^$module/test$"); do
	if go list -f '{{join .Imports "\n"}}' "$package" | grep -q '^github.com/hanwen/go-fuse'; then
		fail "$package imports go-fuse; only fsnode does"
	fi
done
exit $bad
