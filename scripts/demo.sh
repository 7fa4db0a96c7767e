#!/bin/sh
# The whole idea in a minute: an island world, mounted, one door moved with sed,
# what that changed in the pack, and what version control sees of it.
# Usage: scripts/demo.sh path/to/worldfs
set -eu

worldfs=$(realpath "$1")
world=$PWD/demo-world
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
run() {
	printf '\033[2m$ %s\033[0m\n' "$*"
	"$@"
}
git() { command git -c user.name=Demo -c user.email=demo@example.com -c init.defaultBranch=main "$@"; }

if [ -e "$world" ]; then
	"$worldfs" -C "$world" unmount >/dev/null 2>&1 || true
	rm -rf "$world"
fi

say "1. An island of 10,422 entities, in one binary pack"
run "$worldfs" demo --quiet "$world"
cd "$world"
run ls -l world.pack

say "2. Mounted, every entity is a text file"
run "$worldfs" mount
echo "$ ls entities | wc -l"
ls entities | wc -l
git init -q
git add -A
git commit -qm "The island"
echo "(committed with git: $(git ls-files entities | wc -l) entities)"

door=6555 # the bunker door
file=entities/$door.entity_text
cp world.pack "$work/before.pack"
"$worldfs" export -o "$work/before.jsonl"

say "3. One door is edited as any text is"
x=$(sed -n '/; position/{n;p}' "$file")
run sed -i "/; position/{n;s/.*/    -12.5/}" "$file"

say "4. The pack has it, and nothing else changed"
run "$worldfs" sync
"$worldfs" export -o "$work/after.jsonl"
echo "$ worldfs export, before and after: lines that differ"
diff "$work/before.jsonl" "$work/after.jsonl" | grep -c '^>' || true
echo "$ cmp -l before.pack world.pack | wc -l    (bytes; checksums among them)"
cmp -l "$work/before.pack" world.pack | wc -l
[ -n "$x" ]

say "5. What version control sees"
run git --no-pager diff --stat
run git --no-pager diff -U1

if [ -t 0 ] && [ -t 1 ]; then
	say "The island stays mounted: try it in $world/entities with any editor, grep, git."
	echo "$worldfs -C $world unmount    ends it"
else
	run "$worldfs" unmount
	cd /
	rm -rf "$world"
fi
