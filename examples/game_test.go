package examples_test

import (
	"bufio"
	"fmt"
	"image"
	"image/color"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// patience is how long the test waits for what must come.
const patience = time.Minute

// world is a directory that the built program works on.
type world struct {
	t       *testing.T
	program string
	dir     string
}

// command returns a command that runs in the world's directory.
func (w *world) command(name string, args ...string) *exec.Cmd {
	if name == "worldfs" {
		name = w.program
	}
	cmd := exec.Command(name, args...)
	cmd.Dir = w.dir
	return cmd
}

func (w *world) run(name string, args ...string) string {
	w.t.Helper()
	out, err := w.command(name, args...).CombinedOutput()
	require.NoError(w.t, err, "%s %v: %s", name, args, out)
	return string(out)
}

// need fails, or skips where that is allowed, if a program is missing.
func need(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatalf("%s is not installed: scripts/setup.sh test", p)
			}
			t.Skipf("%s is not installed: scripts/setup.sh test", p)
		}
	}
}

// newIsland returns the demo's island, mounted, in a git repository.
func newIsland(t *testing.T) *world {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("HOME", filepath.Join(dir, "home"))
	t.Setenv("XDG_STATE_HOME", filepath.Join(dir, "state"))
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(dir, "gitconfig"))
	config := "[user]\n\tname = Ann\n\temail = ann@example.com\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "gitconfig"), []byte(config), 0o600))
	w := &world{t: t, program: filepath.Join(dir, "worldfs"), dir: filepath.Join(dir, "w")}
	build := exec.Command("go", "build", "-o", w.program, "../cmd/worldfs")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "HOME="+realHome)
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NoError(t, os.Mkdir(w.dir, 0o755))
	w.run("worldfs", "demo", "--quiet", ".")
	w.run("worldfs", "mount")
	t.Cleanup(func() { _ = w.command("worldfs", "unmount").Run() }) // where the test has not
	w.run("git", "init", "-q", "-b", "main")
	w.run("worldfs", "vcs", "install")
	w.run("git", "add", "-A")
	w.run("git", "commit", "-qm", "The island")
	return w
}

// realHome is where the build cache lies.
var realHome = os.Getenv("HOME")

// screen starts an X server without a screen, and has programs use it.
func screen(t *testing.T) {
	t.Helper()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	server := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "1024x768x24", "-nolisten", "tcp")
	server.ExtraFiles = []*os.File{w}
	require.NoError(t, server.Start())
	w.Close()
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	var number int
	_, err = fmt.Fscan(r, &number)
	require.NoError(t, err, "Xvfb says no display")
	t.Setenv("DISPLAY", fmt.Sprintf(":%d", number))
	t.Setenv("SDL_VIDEODRIVER", "x11")
}

// game is the running example.
type game struct {
	*world
	lines          <-chan string
	x, y, scale    float64 // of its view
	pictures, last string
}

// play builds the game and starts it on the world.
func (w *world) play() *game {
	t := w.t
	t.Helper()
	flags, err := exec.Command("pkg-config", "--cflags", "--libs", "sdl2", "SDL2_ttf").Output()
	require.NoError(t, err, "scripts/setup.sh test")
	g := &game{world: w, pictures: t.TempDir()}
	program := filepath.Join(t.TempDir(), "island")
	args := append([]string{"-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror",
		"-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "island/main.c", "-o", program}, strings.Fields(string(flags))...)
	out, err := exec.Command("gcc", append(args, "-lm")...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	cmd := exec.Command(program, w.dir)
	cmd.Dir = g.pictures
	cmd.Env = append(os.Environ(), "ASAN_OPTIONS=detect_leaks=0") // those of X's libraries
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := make(chan string, 1000)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(pipe); s.Scan(); {
			lines <- s.Text()
		}
	}()
	g.lines = lines
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	_, err = fmt.Sscanf(g.wait("view "), "view %g %g %g", &g.x, &g.y, &g.scale)
	require.NoError(t, err)
	return g
}

// wait returns the next line that contains words.
func (g *game) wait(words string) string {
	g.t.Helper()
	end := time.After(patience)
	for {
		select {
		case line, ok := <-g.lines:
			require.True(g.t, ok, "the game has ended, while %q is waited for; its last line was %q", words, g.last)
			g.last = line
			if strings.Contains(line, words) {
				return line
			}
		case <-end:
			g.t.Fatalf("the game does not say %q; its last line was %q", words, g.last)
		}
	}
}

// pixel returns where a place of the world is on the screen.
func (g *game) pixel(x, y float64) (px, py int) {
	return int(512 + (x-g.x)*g.scale), int(384 - (y-g.y)*g.scale)
}

// do has the X server act as if a person did.
func (g *game) do(args ...string) {
	g.t.Helper()
	out, err := exec.Command("xdotool", args...).CombinedOutput()
	require.NoError(g.t, err, "xdotool %v: %s", args, out)
}

func (g *game) pointTo(px, py int) { g.do("mousemove", fmt.Sprint(px), fmt.Sprint(py)) }

// picture returns what the game shows.
func (g *game) picture() *image.NRGBA {
	g.t.Helper()
	g.do("key", "F12")
	g.wait("picture")
	data, err := os.ReadFile(filepath.Join(g.pictures, "island.ppm"))
	require.NoError(g.t, err)
	const head = "P6\n1024 768\n255\n"
	require.Equal(g.t, head, string(data[:len(head)]))
	data = data[len(head):]
	p := image.NewNRGBA(image.Rect(0, 0, 1024, 768))
	for i := range 1024 * 768 {
		p.Set(i%1024, i/1024, color.NRGBA{data[3*i], data[3*i+1], data[3*i+2], 255})
	}
	return p
}
