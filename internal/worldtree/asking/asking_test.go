package asking_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/worldfs/worldfs/internal/worldtree/asking"
	"github.com/worldfs/worldfs/internal/worldtree/resolve"
	"github.com/worldfs/worldfs/merge"
)

// leave is the key of a person who closes the terminal.
const leave = "leave"

// person sits before a terminal and presses a key, or types a line, for each question.
type person struct {
	require.TestingT
	keys, tty *os.File
	script    []string
	shown     strings.Builder
}

func sit(t require.TestingT, script ...string) *person {
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetPointerInt(int(keys.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(keys.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	tty, err := os.OpenFile(fmt.Sprint("/dev/pts/", n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	return &person{TestingT: t, keys: keys, tty: tty, script: script}
}

func (p *person) leave() {
	p.keys.Close()
	p.tty.Close()
}

func (p *person) mode() unix.Termios {
	mode, err := unix.IoctlGetTermios(int(p.tty.Fd()), unix.TCGETS)
	require.NoError(p, err)
	return *mode
}

// Write shows a text. The person answers as soon as it is one that asks: a key when the
// terminal gives single keys.
func (p *person) Write(text []byte) (int, error) {
	p.shown.Write(text)
	key := strings.HasSuffix(string(text), "[?] ")
	if !key && !strings.HasSuffix(string(text), " = ") {
		return len(text), nil
	}
	require.NotEmpty(p, p.script, "a question that was not foreseen: %s", p.shown.String())
	answer := p.script[0]
	p.script = p.script[1:]
	if answer == "" { // typed ahead
		return len(text), nil
	}
	if !key {
		_, err := p.keys.WriteString(answer)
		return len(text), err
	}
	go func() {
		for p.mode().Lflag&unix.ICANON != 0 {
			time.Sleep(time.Millisecond)
		}
		if answer == leave {
			p.keys.Close()
			return
		}
		_, _ = p.keys.WriteString(answer)
	}()
	return len(text), nil
}

// ask has a person asked, until the script or the questions are at an end.
func (p *person) ask(a *asking.Asker) []resolve.Choice {
	left := len(p.script) > 0 && p.script[len(p.script)-1] == leave
	a.In, a.Out = p.tty, p
	before := p.mode()
	choices, err := a.Ask()
	require.NoError(p, err)
	require.Empty(p, p.script)
	if !left {
		require.Equal(p, before, p.mode(), "the terminal is as it was")
	}
	return choices
}

const lampType = "name = \"Lamp\"\nrevision = 1\n\n[[fields]]\nname = \"name\"\nkind = \"string\"\n\n[[fields]]\nname = \"at\"\nkind = \"vec3\"\n\n[[fields]]\nname = \"watts\"\nkind = \"KIND\"\n"

func lamp(id int, name, x, watts string) string {
	return fmt.Sprintf("Lamp\n1\n%d\n; name\n    %q\n; at\n    %s\n    0\n    0\n; watts\n    %s\n", id, name, x, watts)
}

// merged is a world in which git has left to people a declaration, a lamp that one side
// deleted, and three fields of another.
func merged(t *testing.T) (root string) {
	root = t.TempDir()
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		cmd.Dir = root
		out, err := cmd.CombinedOutput()
		if args[0] != "merge" {
			require.NoError(t, err, "git %v: %s", args, out)
		}
	}
	commit := func(kind string, texts ...string) {
		require.NoError(t, os.RemoveAll(filepath.Join(root, "entities")))
		require.NoError(t, os.MkdirAll(filepath.Join(root, "entities"), 0o755))
		require.NoError(t, os.MkdirAll(filepath.Join(root, "types"), 0o755))
		files := map[string]string{"world.toml": "id = \"6d3f3c5e-0000-4000-8000-000000000001\"\n", ".gitignore": ".worldfs/\n",
			"types/Lamp.toml": strings.Replace(lampType, "KIND", kind, 1)}
		for i, text := range texts {
			files[fmt.Sprintf("entities/%d.entity_text", i+1)] = text
		}
		for name, text := range files {
			require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o644))
		}
		git("add", "-A")
		git("commit", "-q", "-m", "c")
	}
	git("init", "-q", "-b", "main")
	commit("u8", lamp(1, "a", "1", "1"), lamp(2, "a", "1", "1"))
	git("checkout", "-q", "-b", "theirs")
	commit("u16", lamp(1, "b", "2", "2"), lamp(2, "b", "1", "1"))
	git("checkout", "-q", "-b", "ours", "main")
	commit("u32", lamp(1, "c", "3", "3"))
	git("merge", "-q", "theirs")
	return root
}

// asker asks about what is left in a world, and takes what is typed as it is but for "no".
func asker(t *testing.T, root string) *asking.Asker {
	r, err := resolve.Open(root, resolve.Options{})
	require.NoError(t, err)
	return &asking.Asker{Resolution: r, Value: func(c merge.Conflict, typed string) (resolve.Choice, error) {
		if !json.Valid([]byte(typed)) {
			return resolve.Choice{}, errors.New("it does not fit")
		}
		return resolve.Choice{ID: c.ID, Field: c.Field, Value: json.RawMessage(typed)}, nil
	}}
}

func subject(c resolve.Choice) string { return fmt.Sprint(c.ID, c.Type, c.Field) }

// kept returns the choices that are kept for the next call, by what they are about.
func kept(t require.TestingT, root string) map[string]resolve.Choice {
	data, err := os.ReadFile(filepath.Join(root, ".worldfs/resolve.json"))
	if os.IsNotExist(err) {
		return map[string]resolve.Choice{}
	}
	require.NoError(t, err)
	var file struct {
		Records []struct{ Choices []resolve.Choice }
	}
	require.NoError(t, json.Unmarshal(data, &file))
	all := make(map[string]resolve.Choice)
	for _, record := range file.Records {
		for _, c := range record.Choices {
			all[subject(c)] = c
		}
	}
	return all
}

// What a person has answered is kept for the next call in every moment, and what was taken
// back is as an earlier call has left it.
func TestWhatWasAnsweredIsKept(t *testing.T) {
	root := merged(t)
	a := asker(t, root)
	left := a.Resolution.Left
	require.Len(t, left, 5)
	earlier := make(map[string]resolve.Choice)
	rapid.Check(t, func(t *rapid.T) {
		var script []string
		var made []*resolve.Choice
		var before []map[string]resolve.Choice
		now := earlier
		answer := func(c *resolve.Choice) {
			made, before = append(made, c), append(before, now)
			if now = maps.Clone(now); c != nil {
				now[subject(*c)] = *c
			}
		}
		for range rapid.IntRange(0, 8).Draw(t, "keys") {
			if len(made) == len(left) {
				break
			}
			c := left[len(made)]
			key := rapid.SampledFrom([]string{"m", "s", "b", "v", "\r", " ", "u", "u", "?", "x", "\x1b"}).Draw(t, "key")
			script = append(script, key)
			switch side := map[string]resolve.Side{"m": resolve.Mine, "s": resolve.Shared, "b": resolve.Base}[key]; {
			case side != "" && (side != resolve.Base || c.ID != 0):
				choice := resolve.ChoiceOf(c, side)
				answer(&choice)
			case key == "\r" || key == " ":
				answer(nil)
			case key == "u" && len(made) > 0:
				n := len(made) - 1
				now, made, before = before[n], made[:n], before[:n]
			case key == "v" && c.Field != "" && c.ID != 0:
				line := rapid.SampledFrom([]string{"7\n", "\"7\"\n", "  \n", "\x04", "{\n"}).Draw(t, "line")
				script = append(script, line)
				value, fits := map[string]string{"7\n": "7", "\"7\"\n": `"7"`}[line]
				switch {
				case c.Field == "at" && fits:
					value = "[" + value + "]"
				case c.Field == "name" && line[0] != '"' && strings.TrimSpace(line) != "" && line != "\x04":
					value, fits = strconv.Quote(strings.TrimSpace(line)), true
				}
				if fits {
					answer(&resolve.Choice{ID: c.ID, Field: c.Field, Value: json.RawMessage(value)})
				} else if strings.TrimSpace(line) != "" && line != "\x04" {
					script = append(script, "\n") // it is asked for again
				}
			}
		}
		if len(made) < len(left) {
			script = append(script, rapid.SampledFrom([]string{"q", "\x03", "\x04", leave}).Draw(t, "the last"))
		}
		p := sit(t, script...)
		defer p.leave()
		choices := p.ask(&asking.Asker{Resolution: a.Resolution, Value: a.Value})
		var want []resolve.Choice
		for _, c := range made {
			if c != nil {
				want = append(want, *c)
			}
		}
		require.Equal(t, want, choices, "%q", script)
		require.Equal(t, now, kept(t, root), "%q", script)
		earlier = now
	})
}

func TestWhatAPersonIsTold(t *testing.T) {
	a := asker(t, merged(t))
	for what, x := range map[string]struct {
		script []string
		says   []string
	}{
		"where they are":      {[]string{"m", "q"}, []string{"1 of 5: Lamp watts", "mine\n2 of 5: Lamp 1 \"a\" at: yours 3, 0, 0", "quit"}},
		"what keys there are": {[]string{"X", "?", "q"}, []string{"m  mine", "q  quit", "1 of 5", "m  mine", "q  quit", "1 of 5"}},
		"no undo":             {[]string{"u", "q"}, []string{"this is the first\n1 of 5"}},
		"no base":             {[]string{"b", "q"}, []string{resolve.ErrNoBase.Error(), "1 of 5"}},
		"no value":            {[]string{"v", "q"}, []string{"about the whole", "1 of 5"}},
		"no value at all":     {[]string{"\r", "\r", "v", "  \n", "q"}, []string{"name = \n3 of 5"}},
		"what is typed ahead": {[]string{"\r", "v7\rsm", "", "", "", "q"}, []string{"at = ", "3 of 5", "shared\n4 of 5", "mine\n5 of 5"}},
		"no value that fits":  {[]string{"\r", "v", "here\n", "m\n", "\n", "q"}, []string{"later\n2 of 5", "at = it does not fit\nat = it does not fit\nat = \n2 of 5"}},
		"no value of a whole": {[]string{" ", " ", " ", "\n", "v", "q"}, []string{"5 of 5: Lamp 2", "about the whole", "5 of 5"}},
		"what is undone":      {[]string{"\r", "s", "u", "u", "q"}, []string{"shared\n3 of 5", "undone\n2 of 5", "undone\n1 of 5"}},
	} {
		t.Run(what, func(t *testing.T) {
			p := sit(t, x.script...)
			defer p.leave()
			p.ask(&asking.Asker{Resolution: a.Resolution, Value: a.Value})
			shown := p.shown.String()
			for _, says := range x.says {
				_, after, ok := strings.Cut(shown, says)
				require.True(t, ok, "%q in %q", says, shown)
				shown = after
			}
		})
	}
}

func TestIsTerminal(t *testing.T) {
	p := sit(t)
	defer p.leave()
	require.True(t, asking.IsTerminal(p.tty))
	file, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer file.Close()
	require.False(t, asking.IsTerminal(file))
	require.False(t, asking.IsTerminal(strings.NewReader("y")))
	a := asker(t, merged(t))
	a.In, a.Out = file, io.Discard
	_, err = a.Ask()
	require.Error(t, err, "it is no terminal")
}
