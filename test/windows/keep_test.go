package windows

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/packfile"
)

// eventually waits for what keep does a moment later.
func (w *wine) eventually(condition func() bool) {
	w.Helper()
	require.Eventually(w, condition, 2*time.Minute, 100*time.Millisecond)
}

// keep has pack and texts in step: an edit comes into the pack, and a save into the texts,
// once more after keep was killed.
func (w *wine) keep(t *testing.T) {
	w = w.on(t, "keep")
	w.run("demo", "--entities", "50", "w")
	w = w.in("w")
	w.write("world.toml", w.read("world.toml")+"\nplain = true\n")
	w.run("sync")
	w.system("x86_64-w64-mingw32-gcc", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", w.source("../../engine"),
		"-o", filepath.Join(filepath.Dir(w.exe), "control.exe"), w.source("testdata/control.c"), "-lws2_32")
	for _, radius := range []string{"2.5", "3.5"} {
		out := filepath.Join(t.TempDir(), "said")
		stop := w.keeps(out)
		said := func(text string) bool {
			data, err := os.ReadFile(out)
			return err == nil && strings.Contains(string(data), text)
		}
		w.eventually(func() bool { return said("are kept so") })
		told := w.asks(filepath.Join(filepath.Dir(w.exe), "control.exe"))
		before := w.read("world.pack")
		text := w.read("entities/6005.entity_text")
		head, rest, found := strings.Cut(text, "; radius\n")
		require.True(t, found)
		_, tail, _ := strings.Cut(rest, "\n")
		w.write("entities/6005.entity_text", head+"; radius\n    "+radius+"\n"+tail)
		w.eventually(func() bool { is := w.now("world.pack"); return is != "" && is != before })

		w.save(6005, "entity_name", entity.NewString("lamp of "+radius))
		w.eventually(func() bool {
			text := w.now("entities/6005.entity_text")
			return strings.Contains(text, "lamp of "+radius) && strings.Contains(text, radius)
		})
		require.Contains(t, told(), "event of 6005")
		require.Contains(t, w.run("select"), "Lamp 6005")
		require.Contains(t, w.fails(3, "keep"), "another worldfs keep is at work")
		stop()
	}
	w.run("check")
}

// now returns what a file has at this moment, "" where it cannot be read while it is replaced.
func (w *wine) now(name string) string {
	data, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil {
		return ""
	}
	return string(data)
}

// asks starts a game that asks of the world by the C header, and waits until it watches. told
// waits for its end, and returns what it has said.
func (w *wine) asks(game string) (told func() string) {
	w.Helper()
	out := filepath.Join(w.TempDir(), "said")
	f, err := os.Create(out)
	require.NoError(w, err)
	cmd := exec.Command("wine", game, winPath(w.dir))
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = w.dir, w.env, f, f
	require.NoError(w, cmd.Start())
	w.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait(); f.Close() })
	said := func() string {
		text, err := os.ReadFile(out)
		require.NoError(w, err)
		return string(text)
	}
	w.eventually(func() bool { text, _ := os.ReadFile(out); return strings.Contains(string(text), "watching") })
	require.Contains(w, said(), `"entities":[{"id":6005,"type":"Lamp"`)
	return func() string {
		require.NoError(w, cmd.Wait(), "%s", said())
		return said()
	}
}

// keeps starts worldfs keep, and returns what kills it.
func (w *wine) keeps(out string) (stop func()) {
	w.Helper()
	f, err := os.Create(out)
	require.NoError(w, err)
	cmd := exec.Command("wine", w.exe, "keep")
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = w.dir, w.env, f, f
	require.NoError(w, cmd.Start())
	stop = func() { _ = cmd.Process.Kill(); _ = cmd.Wait(); f.Close() }
	w.Cleanup(stop)
	return stop
}

// save is a game's: it loads the pack, changes a value and writes the pack anew.
func (w *wine) save(id entity.ID, field string, v entity.Value) {
	w.Helper()
	path := filepath.Join(w.dir, "world.pack")
	p, err := packfile.ReadFile(path)
	require.NoError(w, err)
	world := entity.NewWorld(p.World(), p.Types())
	for e := range p.All() {
		if e.ID == id {
			e = e.Clone()
			e.Values[e.Layout.Index(field)] = v
		}
		world.Put(e)
	}
	data, err := packfile.Encode(p.World(), p.Types(), world)
	require.NoError(w, err)
	packfile.SetBasedOn(data, p.Hash())
	require.NoError(w, os.WriteFile(path+".tmp", data, 0o644))
	require.NoError(w, os.Rename(path+".tmp", path))
}
