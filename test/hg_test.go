package test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const hgFacts = `hg status; hg manifest --debug; hg log --template '{node} {desc}\n'; hg verify -q`

// hgFlows begin with a world in a Mercurial repository instead of git's.
var hgFlows = []flow{
	{name: "update, commit, revert", facts: hgFacts, steps: hgInit + `
		name @6555 "steel door" && hg diff --git && hg commit -d '0 0' -m steel && hg status
		hg update -q -r 0 && hg status
		hg update -q && hg status
		name @6555 "oak door" && rm @10001 && hg status && hg revert -q --all && hg status
		rm -f @6555.orig && hg status
		add @10000 10002 @10002 && hg addremove -q && hg commit -d '0 0' -m new && hg status
		hg remove @10002 && hg commit -d '0 0' -m away && hg update -q -r 0 && hg update -q && hg status
		hg update -q null && hg update -q && hg status
		`},
	// hg goes up from directory to directory, whatever file system they are on.
	{name: "inside", facts: hgFacts, steps: hgInit + `
		cd $(dirname @6555) && name 6555.entity_text "steel door" && hg status && hg diff --git && hg root && hg annotate -n 6555.entity_text | head -12 && hg commit -d '0 0' -m steel && hg log --template '{desc}\n' 6555.entity_text && hg update -q -r 0 && is "bunker door" 6555.entity_text && hg update -q
		`},
	{name: "clone, pull", facts: hgFacts, steps: hgInit + `
		hg clone -q . ../c && cd ../c && worldfs mount && hg status
		cd ../c && name @6555 "steel door" && hg commit -d '0 0' -m steel && hg status
		hg pull -q -u ../c && hg status
		cd ../c && worldfs unmount && hg status
		`},
	{name: "merge, conflict", facts: hgFacts, steps: hgInit + `
		name @6555 "steel door" && hg commit -d '0 0' -m steel && hg update -q -r 0
		name @10000 "old lamp" && hg commit -q -d '0 0' -m lamp && hg merge -q && hg commit -d '0 0' -m merged && hg status
		hg update -q -r 0 && name @6555 "oak door" && hg commit -q -d '0 0' -m oak && ! hg merge -q
		hg status && hg resolve -l && hg resolve -q -t internal:local --all && rm -f @6555.orig && hg commit -d '0 0' -m resolved && hg status
		hg update -q -C -r 3 && hg status
		`},
}

const hgInit = `
		rm -rf .git && hg init && printf 'syntax: regexp\n^\\.worldfs\n^world\\.pack$\n^\\..*\\.pack\\.\n' >.hgignore && hg add -q && hg commit -d '0 0' -m world && hg status
		`

// watched has a command of the shell after it run while others ask for the world all the time.
const watched = `while :; do worldfs status >/dev/null 2>&1; done & p=$!; trap 'kill $p; wait $p 2>/dev/null; true' EXIT; `

// hg merges what was edited when it has written all else, world.toml too: an update across a
// change of shard takes an edit along in every shape, as on a plain directory, and the way back.
func TestAnHgUpdateAcrossAChangeOfShardTakesAnEditAlong(t *testing.T) {
	if config["shard"] != "" {
		t.Skip("it makes its own shards")
	}
	t.Parallel()
	for _, place := range someOf(t, []string{"", "entities", "cover"}) {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, "hg")
			b.run("worldfs", "demo", "--entities", "300", "w")
			b = b.cd("w")
			b.run("hg", "init")
			b.run("worldfs", "vcs", "add")
			b.run("hg", "add", "-q")
			b.run("hg", "commit", "-q", "-u", "Ann", "-m", "world")
			b.run("worldfs", "shard", "last-digit")
			b.run("hg", "addremove", "-q", "--similarity", "100")
			b.run("hg", "commit", "-q", "-u", "Ann", "-m", "shards")
			b.run("hg", "update", "-q", "-r", "0")
			if place != "" {
				b.mount("--shape", place)
			}
			b.set(6005, "radius = 9")
			b.run("worldfs", "sync")
			for range 2 {
				b.run("sh", "-c", watched+"hg update -q")
				require.Equal(t, "M entities/5/6005.entity_text\n", b.run("hg", "status"))
				b.holds(6005, "radius == 9")
				b.run("sh", "-c", watched+"hg update -q -r 0")
				require.Equal(t, "M entities/6005.entity_text\n", b.run("hg", "status"))
				b.holds(6005, "radius == 9")
			}
			b.run("worldfs", "check")
		})
	}
}

// In a rebase of hg's, too, mine is the person's own edit, which hg has as the second side.
func TestMineIsOnesOwnInARebaseOfHg(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hg")
	b.run("worldfs", "demo", "--entities", "60", "w")
	b = b.cd("w")
	b.run("hg", "init")
	b.run("worldfs", "vcs", "add")
	b.run("hg", "add", "-q")
	b.run("hg", "commit", "-q", "-u", "Ann", "-m", "world")
	b.set(6005, "radius = 7")
	b.run("worldfs", "sync")
	b.run("hg", "commit", "-q", "-u", "Bob", "-m", "Bob")
	b.run("hg", "update", "-q", "-r", "0")
	b.set(6005, "radius = 8")
	b.run("worldfs", "sync")
	b.run("hg", "commit", "-q", "-u", "Ann", "-m", "Ann")
	_, code := b.try("hg", "--config", "extensions.rebase=", "rebase", "-d", "1", "-t", "internal:merge")
	require.NotZero(t, code)
	out, code := b.try("worldfs", "resolve")
	require.Equal(t, 1, code, out)
	require.Contains(t, out, "radius: yours 8 / shared 7")
	b.run("worldfs", "resolve", "--take", "mine")
	b.holds(6005, "radius == 8")
}
