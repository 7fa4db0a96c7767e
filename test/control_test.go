package test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// example is a call of docs/control.md with its answer.
type example struct {
	path, body string
	status     int
	lines      []string // of the answer, each JSON
}

// examples reads those of docs/control.md, in their order.
func examples(t *testing.T) (all []example) {
	t.Helper()
	page, err := os.ReadFile("../docs/control.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```call\nPOST (\\S+)\n(.*?)\n```\n\n```answer\n([0-9]+)\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	require.Len(t, blocks, strings.Count(string(page), "```call"), "each call has an answer")
	for _, b := range blocks {
		status, err := strconv.Atoi(b[3])
		require.NoError(t, err)
		all = append(all, example{b[1], b[2], status, strings.FieldsFunc(b[4], func(r rune) bool { return r == '\n' })})
	}
	return all
}

// TestTheControlSocketIsAsItsPageSays makes each call of docs/control.md with nothing but a
// socket.
func TestTheControlSocketIsAsItsPageSays(t *testing.T) {
	b := newBench(t)
	b.run("worldfs", "init", "w")
	b = b.cd("w")
	b.mount()
	b.makesTheCalls(b.socket(), func(_, want string) string {
		if config.cover() {
			return strings.Replace(want, `"shape":"entities"`, `"shape":"cover"`, 1)
		}
		return want
	})
	require.False(t, b.mounted(), "the last call is unmount")
}

// keep answers the same calls, but for what is the mount's.
func TestTheControlSocketOfKeepIsAsThePageSays(t *testing.T) {
	b := newBench(t)
	b.run("worldfs", "init", "w")
	b = b.cd("w")
	k := b.startsKeep()
	k.says("are taken in")
	ofTheMount := regexp.MustCompile(`"mounted":true,.*?"pack"|"counters":\{.*?\},`)
	socket := b.keptAt()
	b.makesTheCalls(socket, func(name, want string) string {
		if name == "status" {
			return ofTheMount.ReplaceAllStringFunc(want, func(s string) string {
				if strings.HasPrefix(s, `"mounted"`) {
					return `"mounted":false,"pack"`
				}
				return ""
			})
		}
		return want
	}, "unmount")
	status, lines := callSocket(t, socket, "/v1/unmount", "{}", 1)
	require.Equal(t, 422, status)
	require.Contains(t, lines[0], "the world is not mounted")
	require.Zero(t, k.ends())
}

// makesTheCalls makes each call of docs/control.md, but for some, in their order. adapt is given
// what the page says of one, and returns what is to be expected.
func (b *bench) makesTheCalls(socket string, adapt func(name, want string) string, without ...string) {
	calls := make(map[string]bool)
	for _, e := range examples(b.T) {
		name, _, _ := strings.Cut(strings.TrimPrefix(e.path, "/v1/"), "?")
		calls[name] = true
		if slices.Contains(without, name) {
			continue
		}
		b.Run(name, func(t *testing.T) {
			body := strings.ReplaceAll(e.body, "/tmp/texts", filepath.Join(t.TempDir(), "texts"))
			status, lines := callSocket(t, socket, e.path, body, len(e.lines))
			require.Equal(t, e.status, status, "%s", lines)
			require.Len(t, lines, len(e.lines), "%s", lines)
			for i, want := range e.lines {
				want = adapt(name, want)
				var x, y any
				require.NoError(t, json.Unmarshal([]byte(want), &x), want)
				require.NoError(t, json.Unmarshal([]byte(lines[i]), &y), lines[i])
				require.NoError(t, answers("answer", x, y), "%s\n%s", want, lines[i])
			}
		})
	}
	for _, name := range daemonCalls(b.T) {
		require.True(b, calls[name], "docs/control.md has no example of the call %s", name)
	}
}

// callSocket makes a call and returns the answer's first lines.
func callSocket(t *testing.T, socket, path, body string, most int) (status int, lines []string) {
	t.Helper()
	conn, err := net.Dial("unix", socket)
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(5*time.Minute)))
	_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: worldfs\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
	require.NoError(t, err)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil) // whose Close would wait for the end of watch
	require.NoError(t, err)
	for in := bufio.NewReader(resp.Body); len(lines) < most; {
		line, err := in.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			lines = append(lines, string(line))
		}
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
	}
	return resp.StatusCode, lines
}

// exact are the members whose numbers are those of the page; others are only numbers.
var exact = []string{"id", "other", "exit", "protocol", "oldest", "created", "changed", "deleted", "unchanged", "broken",
	"entities", "files", "types", "Written", "revision", "target"}

// answers returns how an answer is otherwise than the page says: that may leave members out,
// and cut texts by ….
func answers(name string, want, got any) error {
	switch want := want.(type) {
	case map[string]any:
		is, ok := got.(map[string]any)
		if !ok {
			return fmt.Errorf("%s is no object", name)
		}
		for key, value := range want {
			if _, ok := is[key]; !ok {
				return fmt.Errorf("%s has no %s", name, key)
			}
			if err := answers(key, value, is[key]); err != nil {
				return err
			}
		}
		return nil
	case []any:
		is, ok := got.([]any)
		if !ok || len(is) < len(want) || len(want) == 0 && len(is) > 0 {
			return fmt.Errorf("%s has other elements", name)
		}
		for i := range want {
			if err := answers(name, want[i], is[i]); err != nil {
				return err
			}
		}
		return nil
	case string:
		begin, _, cut := strings.Cut(want, "…")
		if is, ok := got.(string); !ok || cut && !strings.HasPrefix(is, begin) || !cut && is != want {
			return fmt.Errorf("%s is %v", name, got)
		}
		return nil
	case float64:
		if is, ok := got.(float64); !ok || slices.Contains(exact, name) && is != want {
			return fmt.Errorf("%s is %v", name, got)
		}
		return nil
	}
	if want != got {
		return fmt.Errorf("%s is %v", name, got)
	}
	return nil
}

// daemonCalls returns the names of all calls that a daemon answers.
func daemonCalls(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("../internal/mounting/daemon/*.go")
	require.NoError(t, err)
	declared := regexp.MustCompile(`(?:define(?:Intake)?\((?:command|intake)\[[^{]*\]\{\s*name: *"|HandleFunc\("POST /v1/)([a-z-]+)"`)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range declared.FindAllStringSubmatch(string(text), -1) {
			names = append(names, m[1])
		}
	}
	require.Greater(t, len(names), 15)
	return names
}
