package test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// home returns the home directory of the bench, in which svn's config is.
func (b *bench) home() *bench {
	home := *b
	for _, v := range b.env {
		if dir, ok := strings.CutPrefix(v, "HOME="); ok {
			home.dir = dir
		}
	}
	return &home
}

// properties returns what properties the working copy has that are not committed.
func (b *bench) properties() string {
	b.Helper()
	return b.run("svn", "diff", "--properties-only")
}

func TestInstallTwiceAndUninstallInSVN(t *testing.T) {
	t.Parallel()
	for name, config := range inTurn(t, map[string]string{
		"nothing before": "",
		"a config by hand": "# mine\r\n[auth]\nstore-passwords = no\n\n### helpers\n[helpers]\n# diff3-cmd = x\neditor-cmd = vi\n" +
			"[working-copy]\nexclusive-locking-clients = svn",
		"with a mark": "\ufeff[helpers]\neditor-cmd = vi",
	}) {
		t.Run(name, func(t *testing.T) {
			b := newSVNTeam(t, "plain").ann
			home := b.home()
			home.run("rm", "-rf", ".subversion")
			if config != "" {
				home.run("mkdir", ".subversion")
				home.write(".subversion/config", config)
				home.run("chmod", "600", ".subversion/config")
			}
			has := func() (text string) {
				if _, err := os.Stat(home.path(".subversion/config")); config == "" && os.IsNotExist(err) {
					return ""
				}
				return home.read(".subversion/config")
			}
			properties := b.properties()
			before := has()
			require.Contains(t, b.run("worldfs", "status"), "lacks the properties for diffs, diff3-cmd, the merge tool: worldfs vcs install")
			out := b.both("worldfs", "vcs", "install")
			require.Contains(t, out, "svn:auto-props of the world directory")
			require.Contains(t, out, "next: svn update; svn commit")
			require.Contains(t, out, "your own config, for all your working copies:\n  "+home.path(".subversion/config")+": diff3-cmd = ")
			require.Contains(t, out, "It is not written. worldfs vcs install --yes writes it")
			require.Equal(t, before, has(), "it was not agreed to")
			require.Contains(t, b.run("worldfs", "vcs", "install", "--yes"), "diff3-cmd and the merge tool, in ")
			installed, set := has(), b.properties()
			require.Equal(t, "set up already: nothing changed\n", b.run("worldfs", "vcs", "install"))
			require.Equal(t, installed, has())
			require.Equal(t, set, b.properties())
			require.Contains(t, installed, strings.TrimPrefix(before, "\ufeff"))
			require.NotContains(t, b.run("worldfs", "status"), "vcs install")
			require.NotContains(t, b.run("worldfs", "status", "--json"), "svn_lacks")
			require.Contains(t, b.both("worldfs", "vcs", "uninstall"), "out of "+home.path(".subversion/config"))
			require.Equal(t, before, has())
			require.Equal(t, properties, b.properties())
			require.NotContains(t, home.run("sh", "-c", "ls .subversion 2>/dev/null || :"), "worldfs")
			require.Equal(t, "not set up: nothing changed\n", b.run("worldfs", "vcs", "uninstall"))
		})
	}
}

// both runs a command that must succeed, and returns what it printed on either stream.
func (b *bench) both(name string, args ...string) string {
	b.Helper()
	return b.run("sh", append([]string{"-c", `exec "$0" "$@" 2>&1`, b.program(name)}, args...)...)
}

func (b *bench) program(name string) string {
	if name == "worldfs" {
		return binary
	}
	return name
}

// Another tool stays, and what a team has set of properties.
func TestInstallInSVNRespectsWhatIsThere(t *testing.T) {
	b := newSVNTeam(t, "plain").ann
	home, door := b.home(), config.entityPath("6555")
	home.run("mkdir", "-p", ".subversion")
	home.write(".subversion/config", "[helpers]\nDiff3-Cmd = /usr/bin/other\n")
	b.run("svn", "propset", "-q", "svn:eol-style", "native", door)
	b.run("svn", "propset", "-q", "svn:mime-type", "application/octet-stream", door)
	b.run("svn", "propset", "-q", "svn:auto-props", "*.entity_text = svn:needs-lock=*", ".")
	b.run("sed", "-i", `s/$/\r/`, config.entityPath("1002"))
	before := b.properties()
	out := b.both("worldfs", "vcs", "install", "--yes")
	require.Contains(t, out, "diff3-cmd is /usr/bin/other in svn's config, and stays; for svn to merge by property set it to ")
	require.Contains(t, out, "1 file with lines that end with CR LF, such as "+config.entityPath("1002"))
	require.NotContains(t, home.read(".subversion/config"), "diff3-cmd")
	require.Contains(t, home.read(".subversion/config"), "merge-tool-cmd")
	require.Equal(t, "native\n", b.run("svn", "propget", "svn:eol-style", door))
	require.Equal(t, "text/plain\n", b.run("svn", "propget", "svn:mime-type", door))
	require.Contains(t, b.run("svn", "propget", "svn:auto-props", "."), "*.entity_text = svn:needs-lock=*\n*.toml = ")
	b.run("worldfs", "vcs", "uninstall")
	require.Equal(t, before, b.properties())
	require.Equal(t, "[helpers]\nDiff3-Cmd = /usr/bin/other\n", home.read(".subversion/config"))
}

// What is committed is everybody's; new files have it by themselves.
func TestPropertiesOfSVNAreCommitted(t *testing.T) {
	team := newSVNTeam(t, "plain")
	b, bob := team.ann, team.bob
	b.run("worldfs", "vcs", "install", "--yes")
	b.run("svn", "update", "-q")
	b.run("svn", "commit", "-q", "-m", "Properties for worldfs", "--username", "Ann")
	bob.run("svn", "update", "-q")
	require.Regexp(t, "^the script .*worldfs-diff3\n$", bob.both("worldfs", "vcs", "install", "--yes"), "of which it is a second world")
	bob.made(150000, "вверх по лестнице")
	bob.run("worldfs", "sync")
	bob.run("worldfs", "vcs", "sync")
	require.Equal(t, "LF\n", bob.run("svn", "propget", "svn:eol-style", config.entityPath("150000")))
	require.Equal(t, "text/plain\n", bob.run("svn", "propget", "svn:mime-type", config.entityPath("150000")))
	out := b.both("worldfs", "vcs", "uninstall")
	require.Contains(t, out, "properties that are committed stay")
	require.Empty(t, b.properties())
	require.Contains(t, out, "the rest stays for "+bob.dir)
	require.Contains(t, b.home().read(".subversion/config"), "diff3-cmd")
	bob.run("worldfs", "vcs", "uninstall")
	require.NotContains(t, b.home().read(".subversion/config"), "worldfs")
}

// With a config directory of its own, or a shell function, the person's config stays as it is.
func TestInstallInSVNElsewhere(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"config-dir", "shell"} {
		t.Run(how, func(t *testing.T) {
			team := newSVNTeam(t, "plain")
			b := team.ann
			update := "svn --config-dir ../svnconfig update --accept postpone"
			if how == "shell" {
				b.write("../function", b.run("worldfs", "vcs", "install", "--shell"))
				update = ". ../function; svn update --accept postpone"
			} else {
				b.run("worldfs", "vcs", "install", "--yes", "--config-dir", "../svnconfig")
			}
			require.NotContains(t, b.run("worldfs", "status"), "diff3-cmd")
			require.NotContains(t, b.home().read(".subversion/config"), "worldfs")
			team.bob.set(6555, `entity_name = "bunker gate"`, "position.x = 50")
			team.bob.svnCommit("Bob")
			b.set(6555, "targets = [1002]", "position.z = 9")
			b.run("worldfs", "sync")
			b.run("sh", "-c", update)
			require.Contains(t, b.read(config.entityPath("6555")), "<<<<<<< yours\n; position")
			require.Contains(t, b.left(), "1 left to settle")
			b.run("worldfs", "vcs", "uninstall")
			if how == "shell" { // which may be left in a profile
				b.run("sh", "-c", ". ../function; svn info")
			}
		})
	}
}

// installed is a team of which Ann has svn set up.
func installed(t *testing.T, place string) svnTeam {
	team := newSVNTeam(t, place)
	team.ann.run("worldfs", "vcs", "install", "--yes")
	return team
}

// Files of the world are merged by property in svn update and svn merge, all others as ever.
func TestSVNMergesByProperty(t *testing.T) {
	t.Parallel()
	for _, place := range someOf(t, []string{"plain", "cover", "below"}) {
		for _, how := range someOf(t, []string{"update", "merge"}, place) {
			t.Run(place+" "+how, func(t *testing.T) {
				team := installed(t, place)
				b, bob := team.ann, team.bob
				b.run("svn", "update", "-q")
				for name, text := range map[string]string{"readme": "1\n2\n3\n4\n5\n", "note.entity_text": "1\n2\n3\n"} {
					b.write(name, text)
					b.run("svn", "add", "-q", name)
				}
				b.run("svn", "commit", "-q", "-m", "files", "--username", "Ann")
				bob.run("svn", "update", "-q")
				url := strings.TrimSpace(bob.run("svn", "info", "--show-item", "url", "."))
				if how == "merge" {
					bob.run("svn", "copy", "-q", "-m", "branch", url, url+"-branch")
					bob.run("svn", "switch", "-q", url+"-branch")
					url += "-branch"
				}
				bob.set(6555, `entity_name = "bunker gate"`, "position = [50, 108.1, 8.7]")
				bob.set(1002, "position = [1, 2, 3]")
				bob.run("sh", "-c", "sed -i s/1/one/ readme; sed -i s/2/two/ note.entity_text; sed -i 's/default = 0.04/default = 0.05/' types/Cable.toml; echo '158000 161000 Bob' >>id_ranges")
				bob.svnCommit("Bob")
				b.set(6555, "targets = [1002]", "position = [51, 108.1, 8.7]")
				b.set(1002, "orientation = [0, 0, 1, 0]")
				b.run("sh", "-c", "sed -i s/5/five/ readme; sed -i s/2/zwei/ note.entity_text; sed -i '1i # ours' types/Cable.toml; echo '161000 164000 Ann' >>id_ranges")
				b.run("worldfs", "sync")
				if how == "merge" {
					b.run("svn", "commit", "-q", "-m", "Ann", "--username", "Ann")
					b.run("svn", "update", "-q")
					b.run("svn", "merge", "--accept", "postpone", url)
				} else {
					b.run("svn", "update", "--accept", "postpone")
				}
				require.Contains(t, b.run("worldfs", "show", "1002"), "1.0000")
				require.Equal(t, "one\n2\n3\n4\nfive\n", b.read("readme"))
				require.Contains(t, b.read("note.entity_text"), "=======\ntwo\n>>>>>>> .")
				require.Contains(t, b.read("types/Cable.toml"), "0.05")
				require.NotContains(t, b.read("id_ranges"), "<<<<<<<")
				require.Contains(t, b.read("id_ranges"), "Bob")
				door := b.read(config.entityPath("6555"))
				require.Contains(t, door, "<<<<<<< yours\n; position\n    51.")
				require.Contains(t, door, ">>>>>>> shared\n; orientation")
				require.Contains(t, door, `"bunker gate"`)
				out := b.left()
				require.Contains(t, out, "1 left to settle")
				require.Contains(t, out, "Door 6555")
				b.svnNoMore()
				b.run("svn", "resolve", "-q", "--accept", "working", "note.entity_text")
				require.Contains(t, b.run("worldfs", "resolve", "--take", "shared"), "next: svn commit")
				require.Contains(t, b.run("worldfs", "show", "6555"), "50.0")
				require.NotContains(t, b.run("worldfs", "status"), "thrown away")
				team.fresh()
			})
		}
	}
}

// Where worldfs is gone, everything goes on as without it.
func TestSVNWithoutTheProgram(t *testing.T) {
	team := newSVNTeam(t, "plain")
	b := team.ann
	gone := b.root + "/gone"
	b.run("cp", binary, gone)
	b.run(gone, "vcs", "install", "--yes")
	b.run("rm", gone)
	require.Contains(t, b.run("worldfs", "status"), "lacks the program that diff3-cmd runs, "+gone+", which is gone: worldfs vcs install")
	team.bob.set(6555, `entity_name = "bunker gate"`)
	team.bob.svnCommit("Bob")
	b.set(6555, "travel = 9")
	b.run("worldfs", "sync")
	b.run("svn", "update", "--accept", "postpone")
	require.NotContains(t, b.run("svn", "status"), "C ")
	require.Contains(t, b.run("worldfs", "show", "6555"), "bunker gate")
}

// svn's own question about a conflict can be answered with the merge tool.
func TestTheMergeToolOfSVN(t *testing.T) {
	team := installed(t, "plain")
	b, door := team.ann, config.entityPath("6555")
	team.bob.set(6555, `entity_name = "bunker gate"`, "position.x = 50")
	team.bob.set(6005, "position.x = 50")
	team.bob.svnCommit("Bob")
	b.set(6555, "targets = [1002]", "position.x = 9")
	b.run("worldfs", "sync")
	b.write("../diff3", "#!/bin/sh\nexec diff3 \"$@\"\n") // of another, so that there is something to merge
	b.run("chmod", "+x", "../diff3")
	b.run("svn", "update", "--accept", "postpone", "--config-option", "config:helpers:diff3-cmd="+b.path("../diff3"))
	require.Contains(t, b.read(door), "<<<<<<< .mine")
	base, theirs, mine := door+".r2", door+".r3", door+".mine"
	if _, err := os.Stat(b.path(theirs)); err != nil {
		base, theirs = door+".r1", door+".r2"
	}
	out, code := b.try("worldfs", "vcs", "merge-tool", base, theirs, mine, "../merged", door)
	require.Equal(t, 1, code, out)
	require.Contains(t, b.read("../merged"), "<<<<<<< yours\n; position")
	b.write(theirs, strings.Replace(b.read(theirs), "50.000000 : 42480000", "46.103531 : 42386a04", 1))
	b.run("worldfs", "vcs", "merge-tool", base, theirs, mine, "../merged", door)
	require.Contains(t, b.read("../merged"), "bunker gate")
	b.write("note", "")
	out, code = b.try("worldfs", "vcs", "merge-tool", base, theirs, mine, "note")
	require.Equal(t, 1, code)
	require.Contains(t, out, "no file of a world")
}

// TortoiseSVN runs worldfs in WSL, and names files as Windows does.
func TestTheToolsOfTortoiseSVN(t *testing.T) {
	b := newBench(t)
	b.run("worldfs", "demo", "--entities", "300", "w")
	b = b.cd("w")
	b.run("worldfs", "unpack")
	settings := strings.ReplaceAll(b.run("worldfs", "vcs", "install", "--tortoise"), "\r\n", "\n")
	require.True(t, strings.HasPrefix(settings, "Windows Registry Editor Version 5.00\n"))
	calls := make(map[string][]string) // as TortoiseSVN calls them
	for line := range strings.Lines(settings) {
		if call, ok := strings.CutPrefix(line, `".entity_text"="wsl.exe -e worldfs `); ok {
			words := strings.Fields(strings.Trim(call, "\"\n"))
			calls[words[1]] = words
		}
	}
	bin := b.root + "/bin"
	b.run("mkdir", bin)
	for name, text := range map[string]string{
		"wslpath":           `case $1 in -u) printf "%s\n" "$2" | sed 's|^C:||; s|\\|/|g';; -w) printf "%s\n" "C:$2" | tr / '\\';; esac`,
		"TortoiseMerge.exe": `for a; do printf "%s\n" "$a"; case $a in /base:*|/mine:*) cat "$(wslpath -u "${a#/????:}")"; esac; done >` + b.root + "/shown",
	} {
		b.script("../bin/"+name, text)
	}
	b.env = append(b.env, "PATH="+bin+":"+os.Getenv("PATH"))
	door := b.path(config.entityPath("6555"))
	windows := func(path string) string { return "C:" + strings.ReplaceAll(path, "/", `\`) }
	run := func(tool string, files map[string]string) (string, int) {
		require.NotEmpty(t, calls[tool])
		var args []string
		for _, word := range calls[tool] {
			if name, is := strings.CutPrefix(word, "%"); is {
				word = files[name]
			}
			args = append(args, word)
		}
		return b.try("worldfs", args...)
	}
	for name, edit := range map[string]string{"base": "", "mine": "s/bunker door/gate/", "theirs": "s/512/600/", "other": "s/bunker door/port/"} {
		b.run("sh", "-c", "sed '"+edit+"' "+door+" >../"+name)
	}
	files := map[string]string{"merged": windows(door), "bname": "the base", "yname": "mine"}
	for _, name := range []string{"base", "mine", "theirs"} {
		files[name] = windows(b.root + "/" + name)
	}
	out, code := run("merge-tool", files)
	require.Zero(t, code, out)
	require.Contains(t, readFile(t, door), "gate")
	require.Contains(t, readFile(t, door), "    600\n")
	files["theirs"] = windows(b.root + "/other")
	out, code = run("merge-tool", files)
	require.Equal(t, 1, code, out)
	require.Contains(t, readFile(t, door), "<<<<<<< yours\n; entity_name")
	out, code = run("diff-tool", files)
	require.Zero(t, code, out)
	shown := readFile(t, b.root+"/shown")
	require.Contains(t, shown, "/basename:the base\n")
	require.Contains(t, shown, "/minename:mine\n")
	require.Contains(t, shown, "gate")
	require.Contains(t, shown, "    46.10353\n", "values without their bits")
}

// On a terminal it asks.
func TestInstallInSVNAsks(t *testing.T) {
	b := newSVNTeam(t, "plain").ann
	for _, c := range []struct{ answer, says string }{
		{"n\n", "It is not written"},
		{"\n", "It is not written"},
		{"y\n", "diff3-cmd and the merge tool, in "},
	} {
		tty := b.onTerminal("vcs", "install")
		tty.expect("for all your working copies:")
		tty.expect("write it? [y/N] ")
		require.NotContains(t, b.home().read(".subversion/config"), "worldfs")
		tty.press(c.answer)
		tty.expect(c.says)
		require.Zero(t, tty.end())
	}
	require.Contains(t, b.home().read(".subversion/config"), "worldfs-diff3")
}
