#!/bin/bash
# Makes the sample worlds of one build, which every later build opens, upgrades,
# merges and ships (test/sample_test.go).
# Usage: scripts/samples.sh WORLDFS DIR
#
# Each sample is a world directory as a process left it, NAME.tar.gz. The same was
# done in all of them: world.jsonl (the export) and findings are what that build
# itself then reads in each.
# Run it with the last build of a format before a format's number goes up.
set -euo pipefail

worldfs=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_RUNTIME_DIR=$work/run GIT_CONFIG_GLOBAL=/dev/null TZ=UTC LC_ALL=C.UTF-8
mkdir -m 700 "$XDG_RUNTIME_DIR"

cat >"$work/world.jsonl" <<'JSONL'
{"type":{"name":"Door","revision":72,"label":"entity_name","fields":[{"name":"position","kind":"vec3"},{"name":"orientation","kind":"quat"},{"name":"entity_name","kind":"string"},{"name":"map_size","kind":"u32","since":63,"until":72,"successor":"map_extent"},{"name":"map_extent","kind":"u64","since":72},{"name":"mount_parent_id","kind":"ref","direct":true},{"name":"targets","kind":"set","of":"ref","optional":true}]}}
{"type":{"name":"Everything","revision":2,"fields":[{"name":"b","kind":"bool"},{"name":"i8","kind":"i8"},{"name":"i64","kind":"i64"},{"name":"u64","kind":"u64"},{"name":"f32","kind":"f32"},{"name":"f64","kind":"f64"},{"name":"v2","kind":"vec2"},{"name":"v4","kind":"vec4"},{"name":"s","kind":"string"},{"name":"blob","kind":"blob"},{"name":"guid","kind":"guid"},{"name":"e","kind":"enum","values":["closed","open"]},{"name":"fl","kind":"flags","values":["a","b","c"]},{"name":"st","kind":"struct","fields":[{"name":"x","kind":"i16"},{"name":"y","kind":"string"}]},{"name":"keyed","kind":"array","key":"k","of":{"kind":"struct","fields":[{"name":"k","kind":"u32"},{"name":"w","kind":"f32"}]}},{"name":"arr","kind":"array","of":"f32"},{"name":"opt","kind":"i32","optional":true},{"name":"a.dotted.name","kind":"u16","default":7},{"name":"late","kind":"f32","since":2},{"name":"editor","kind":"string","editor_only":true},{"name":"cond","kind":"i32","save_when":"b"}]}}
{"entity":{"id":6001,"type":"Door","revision":63,"fields":{"position":[1,2,3],"entity_name":"old door","map_size":512,"mount_parent_id":0}}}
{"entity":{"id":6005,"type":"Door","revision":72,"fields":{"position":[-0,"nan","0x7fc00001"],"entity_name":"odd floats","map_extent":"18446744073709551615","mount_parent_id":6001,"targets":[6001]}}}
{"entity":{"id":6010,"type":"Everything","revision":2,"fields":{"b":true,"i8":-128,"i64":"-9223372036854775808","u64":"18446744073709551615","f32":0.1,"f64":0.1,"v2":["inf","-inf"],"v4":[1,2,3,4],"s":"two\nlines \"quoted\"","blob":"AAEC/w==","guid":"550e8400-e29b-41d4-a716-446655440000","e":"open","fl":["a","c"],"st":{"x":-3,"y":"in"},"keyed":[{"k":1,"w":0.5},{"k":2,"w":1.5}],"arr":[3,1,2],"opt":5,"a.dotted.name":9,"late":2.5,"editor":"for us","cond":4}}}
{"entity":{"id":6011,"type":"Everything","revision":1,"fields":{"s":"of revision 1"},"unknown":[{"name":"late","lines":"    7.5"},{"name":"gone for good","lines":"    \"kept\""}]}}
{"entity":{"id":6555,"type":"Door","revision":72,"fields":{"position":[46.10353,108.07968,8.694907],"orientation":[0,0,-0.069125,0.997608],"entity_name":"bunker door","map_extent":1024,"mount_parent_id":0,"targets":[6001,6005]}}}
JSONL
for id in $(seq 7000 7040); do
	printf '{"entity":{"id":%d,"type":"Door","revision":72,"fields":{"position":[%d,0.5,-1],"entity_name":"row %d"}}}\n' $id $id $id
done >>"$work/world.jsonl"

cat >"$work/changes" <<'CHANGES'
worldfs changes 1
change Door 7008 revision 72
  entity_name "another base" -> "theirs"
end
CHANGES

# new NAME INIT-FLAGS... makes a world and goes there.
new() {
	cd "$work"
	"$worldfs" -q init "${@:2}" "$1"
	cd "$1"
	"$worldfs" -q import ../world.jsonl >/dev/null
}

# file prints where an entity's file is.
file() {
	if [ "$sharded" ]; then echo "entities/${1: -1}/$1.entity_text"; else echo "entities/$1.entity_text"; fi
}

# edit makes edits of every sort through entities/ and has them durable.
edit() {
	sed -i 's/bunker door/bunker gate/' "$(file 6555)"
	sed -i 's/$/\r/' "$(file 7001)"
	printf 'Door\n72\n7002\n; position\n    [ broken' >"$(file 7002)"
	printf 'Gizmo\n3\n7003\n; power\n    11\n' >"$(file 7003)"
	rm "$(file 7004)"
	sed 's/^7005$/7100/; s/row 7005/made by hand/' "$(file 7005)" >"$(file 7100)"
	echo 'a note' >entities/notes.txt
	chmod 600 "$(file 7006)"
	touch -d '2001-02-03 04:05:06.789' "$(file 7007)"
	"$worldfs" -q apply ../changes >/dev/null 2>&1 || [ $? = 1 ] # a conflict is left
	sleep 3 # the deletion counts
	"$worldfs" -q sync
	# What only the log has: durable, not published.
	local id
	for id in 7010 7011; do
		sed "s/row $id/durable only $id/" "$(file "$id")" >new.tmp
		cat new.tmp >"$(file "$id")"
		sync "$(file "$id")"
	done
	rm new.tmp
}

# killed NAME kills the daemon and takes its dead mount away.
killed() {
	local pid
	pid=$("$worldfs" -q status --json | sed -n 's/.*"pid": *\([0-9]*\).*/\1/p')
	kill -9 "$pid"
	cd "$work"
	while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
	fusermount3 -uz "$1/entities" 2>/dev/null || fusermount3 -uz "$1"
}

# keep NAME stores the world as it lies there, and holds what this build reads in
# it against what it read in the others.
keep() {
	cd "$work"
	tar --sort=name --numeric-owner -czf "$out/$1.tar.gz" "$1"
	"$worldfs" -C "$1" -q export -o "$work/export"
	"$worldfs" -C "$1" -q status --json >"$work/status"
	grep -o '"code":"[^"]*","id":[0-9]*\|"code":"[^"]*"\|"id":[0-9]*' "$work/status" >"$work/findings"
	[ -e "$out/world.jsonl" ] || cp "$work/export" "$out/world.jsonl"
	[ -e "$out/findings" ] || cp "$work/findings" "$out/findings"
	cmp "$work/export" "$out/world.jsonl"
	cmp "$work/findings" "$out/findings"
}

# sample NAME MOUNT-FLAGS... mounts the world, edits it and kills the daemon.
sample() {
	"$worldfs" -q mount "${@:2}" >/dev/null
	cd "$work/$1" # where the mount covers it, enter the mount
	edit
	killed "$1"
	keep "$1"
}

sharded=
new entities-killed --plain
sample entities-killed --shape entities

new cover-killed --plain
sample cover-killed --cover .

new pack-only-killed --plain=false
sample pack-only-killed --shape entities

new unmounted --plain
"$worldfs" -q mount --shape entities >/dev/null
edit
cd "$work/unmounted"
"$worldfs" -q unmount >/dev/null
keep unmounted

new shard-killed --plain
"$worldfs" -q shard last-digit >/dev/null
sharded=1
sample shard-killed --shape entities
