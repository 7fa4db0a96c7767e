package test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mergedBy is a clone of Ann's in which git has begun to merge what Bob did.
func mergedBy(t *testing.T) *bench {
	b, bob := newSharedWorld(t)
	meet(b, bob, 1)
	_, status := b.try("git", "pull", "--no-rebase")
	require.Equal(t, 1, status)
	return b
}

func guideSameTree(p *page) {
	b, _ := newSharedWorld(p.T)
	p.types(b, "git config core.trustctime false")
	p.types(b, "git config core.checkStat minimal")
	b.mount()
	require.Empty(p, b.run("git", "status", "--porcelain"))
}

func guideAfterAMerge(p *page) {
	b := mergedBy(p.T)
	require.Contains(p, p.typesTo(b, 1, "worldfs resolve"), "3 left to settle")
	p.next("worldfs resolve -i")
	tty := b.onTerminal("resolve", "-i")
	tty.expect("1 of 3")
	tty.press("q")
	require.Equal(p, 1, tty.end())
	require.Contains(p, p.typesTo(b, 1, "worldfs resolve --take mine 6555 --field position"), "2 left to settle")
	b.run("git", "merge", "--abort")
	b.run("rm", "-f", ".worldfs/resolve.json")
	b.try("git", "pull", "--no-rebase")
	require.Contains(p, p.typesTo(b, 1, "worldfs resolve --set 6555 'position=[48, 108.5, 8.7]'"), "2 left to settle")
	b.holds(6555, "position.x == 48")
	b.mount()
	require.Contains(p, p.types(b, `curl -s --unix-socket "$(jq -r .socket .worldfs/daemon.json)" http://worldfs/v1/resolve -d '{"take":"mine","names":["6555"]}'`), `"next"`)
	b.holds(6555, "position.y == 1091")
}

func guideCost(p *page) {
	b, bob := newSharedWorld(p.T)
	bob.pushes("Bob", func(b *bench) { b.set(6555, "position.x = 50") })
	b.set(6555, "position.y = 109", "targets = [1003]")
	b.commit("Ann")
	b.try("git", "pull", "--no-rebase")
	b.run("git", "checkout", "--theirs", "--", "entities")
	b.run("git", "commit", "-q", "-a", "-m", "merged")
	require.Contains(p, b.run("worldfs", "status"), "thrown away")
	require.Contains(p, p.types(b, "worldfs resolve --restore-lost"), "changed")
	b.holds(6555, "targets[0] == 1003")
	b.run("git", "checkout", "-q", "--", ".")
	p.types(b, "worldfs resolve --dismiss-lost")
	require.NotContains(p, b.run("worldfs", "status"), "thrown away")
}

func guideClone(p *page) {
	b, _ := newSharedWorld(p.T)
	before := b.read(".git/config")
	p.types(b, "worldfs vcs install")
	require.FileExists(p, b.path(".git/hooks/pre-commit"))
	p.types(b, "worldfs vcs uninstall")
	require.Equal(p, before, b.read(".git/config"))
}

func guideInside(p *page) {
	b, _ := newSharedWorld(p.T)
	b.mount()
	p.next("GIT_DISCOVERY_ACROSS_FILESYSTEM=1")
	within := b.cd("entities")
	within.env = append(append([]string{}, b.env...), "GIT_DISCOVERY_ACROSS_FILESYSTEM=1")
	if !config.cover() {
		_, status := within.try("env", "-u", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "git", "status")
		require.NotZero(p, status)
	}
	require.Empty(p, within.run("git", "status", "--porcelain"))
}

func guideFast(p *page) {
	b, _ := newSharedWorld(p.T)
	b.mount()
	p.types(b, "git config checkout.workers 4")
	b.set(6555, "position.x = 1")
	b.run("worldfs", "sync")
	b.run("git", "checkout", "-q", "--", ".")
	require.Empty(p, b.run("git", "status", "--porcelain"))
}

func guideTold(p *page) {
	if config["plain"] == "false" {
		p.Skip("git and svn have no entities while the world is not mounted")
	}
	g := newBench(p.T, "git")
	g.run("worldfs", "demo", "--entities", "60", "w")
	g = g.cd("w")
	p.types(g, `git init; worldfs vcs add; git commit -m "The world"`)
	require.Empty(p, g.run("git", "status", "--porcelain"))

	s := newBench(p.T, "svn", "svnadmin")
	s.run("svnadmin", "create", "repo")
	s.env = append(s.env, "URL=file://"+s.path("repo"))
	s.run("worldfs", "demo", "--entities", "60", "w")
	s = s.cd("w")
	p.types(s, `svn checkout "$URL" .; worldfs vcs add; svn commit -m "The world"`)
	require.Empty(p, s.run("svn", "status"))
	s.made(150000, "new")
	s.run("rm", config.entityPath("6001"))
	p.types(s, "worldfs vcs sync")
	p.types(s, `svn commit -m "The harbour"`)
	require.Empty(p, s.run("svn", "status"))
}

func guideAfterAnUpdate(p *page) {
	team := makeSVNTeam(p.T, "plain")
	svnMeet(team.ann, team.bob)
	p.types(team.ann, "svn update --accept postpone")
	require.Contains(p, p.typesTo(team.ann, 1, "worldfs resolve"), "3 left to settle")
}

func guideWorkingCopy(p *page) {
	team := makeSVNTeam(p.T, "plain")
	b := team.ann
	require.Contains(p, p.types(b, "worldfs vcs install"), "--yes")
	b.run("worldfs", "vcs", "install", "--yes")
	require.Contains(p, b.home().read(".subversion/config"), "worldfs")
	p.types(b, "worldfs vcs uninstall")
	require.NotContains(p, b.home().read(".subversion/config"), "worldfs")
}

func guideTortoise(p *page) {
	team := makeSVNTeam(p.T, "plain")
	p.types(team.ann, "worldfs vcs install --tortoise >tortoise.reg")
	require.Contains(p, team.ann.read("tortoise.reg"), "merge-tool")
}

func guideMerging(p *page) {
	b, _ := newSharedWorld(p.T)
	b.run("git", "checkout", "-q", "-b", "harbour")
	b.set(6001, "position.x = 1")
	b.set(6005, "radius = 2")
	b.commit("Bob")
	b.run("git", "checkout", "-q", "main")
	b.set(6555, "position.x = 2")
	b.commit("Ann")
	b.set(1002, `entity_name = "the bunker"`)
	require.Contains(p, p.types(b, "worldfs diff --table"), "the bunker")
	require.Contains(p, p.types(b, "worldfs diff HEAD~1"), "6555")
	require.Contains(p, p.types(b, "worldfs diff main...harbour --json"), "6001")
	p.types(b, "worldfs merge git:HEAD~1 . git:harbour -o merged --policy leave")
	for _, id := range []string{"6001", "6555", "1002"} {
		require.Contains(p, b.run("worldfs", "diff", "git:HEAD~1", "merged"), id)
	}
	p.types(b, "worldfs diff git:HEAD~1 git:harbour --not-type Lamp >my.changes")
	p.types(b, "worldfs apply my.changes")
	b.holds(6001, "position.x == 1")
	b.holds(6005, "radius != 2")
	require.Contains(p, p.types(b, "worldfs diff git:HEAD~1 world.pack --table --map moved.svg"), "6555")
	require.Contains(p, b.read("moved.svg"), "<svg")
}

func guideJSON(p *page) {
	b := newBench(p.T)
	for name, text := range map[string]string{"base": `{"a": 1, "b": 1}`, "ours": `{"a": 2, "b": 1}`, "theirs": `{"a": 1, "b": 3}`} {
		b.write(name+".json", text)
	}
	p.types(b, "worldfs merge --json-files base.json ours.json theirs.json -o level.json")
	require.JSONEq(p, `{"a": 2, "b": 3}`, b.read("level.json"))
}

func guideLarge(p *page) {
	b, _ := newSharedWorld(p.T)
	if config["shard"] != "" {
		b.run("worldfs", "shard", "none")
		b.commit("Ann")
	}
	p.types(b, "worldfs shard last-digit")
	p.types(b, `git add -A; git commit -q -m "Shards"`)
	require.FileExists(p, b.path("entities/5/6555.entity_text"))
	require.Contains(p, b.run("git", "log", "--follow", "--format=%s", "entities/5/6555.entity_text"), "\n", "its history goes on")
}

// inline are the commands of worldfs that stand in the text.
func inline(text string) (commands [][]string) {
	for _, code := range inBackticks.FindAllString(strings.ReplaceAll(text, "\n", " "), -1) {
		if words := strings.Fields(strings.Trim(code, "`")); len(words) > 1 && words[0] == "worldfs" {
			commands = append(commands, words[1:])
		}
	}
	return commands
}

// What is said of commands in the text has to be theirs: their names and their flags.
func TestCommandsInTheTextOfTheGuide(t *testing.T) {
	b := newBench(t)
	helps := make(map[string]string)
	help := func(command string) string {
		if helps[command] == "" {
			helps[command], _ = b.try("worldfs", append([]string{"help"}, strings.Fields(command)...)...)
		}
		return helps[command]
	}
	for _, name := range guidePages {
		data, err := os.ReadFile("../docs/" + name)
		require.NoError(t, err)
		for _, words := range inline(string(data)) {
			command := words[0]
			if command == "help" || command == "COMMAND" || strings.HasPrefix(command, "-") {
				continue
			}
			require.Contains(t, help(""), "\n  "+command+" ", "%s: worldfs %v", name, words)
			if len(words) > 1 && strings.Contains(help(command), "\n  "+words[1]+" ") {
				command += " " + words[1]
			}
			for _, word := range words[1:] {
				if flag, _, _ := strings.Cut(word, "="); strings.HasPrefix(flag, "-") && len(flag) > 1 {
					require.Regexp(t, fmt.Sprintf(`(?m)^ +(-., )?%s\b|^ +%s, --`, flag, flag), help(command), "%s: worldfs %v", name, words)
				}
			}
		}
	}
}
