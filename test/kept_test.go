package test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// keptAt returns the control socket of a world that keep has in step.
func (b *bench) keptAt() (socket string) {
	b.Helper()
	var record struct{ Socket string }
	require.NoError(b, json.Unmarshal([]byte(b.read(".worldfs/keeper.json")), &record))
	require.NotEmpty(b, record.Socket)
	return record.Socket
}

// watches has what happens in a world told, as worldfs watch prints it.
func (b *bench) watches() (said *output, ended func()) {
	b.Helper()
	said = new(output)
	watch := b.command(binary, "watch", "--from", "0")
	watch.Stdout = said
	require.NoError(b, watch.Start())
	b.Cleanup(func() { _ = watch.Process.Kill() })
	b.eventually(func() bool { return strings.Contains(said.String(), `"position":`) })
	return said, func() { b.Helper(); require.NoError(b, watch.Wait()) }
}

// Where nothing is mounted keep tells what commands, editors and games do to the world, and what
// is selected; once the world is mounted its daemon does.
func TestKeepTellsWhatHappens(t *testing.T) {
	t.Parallel()
	b := freshClone(t)
	b.run("worldfs", "pack")
	k := b.keeps()
	e := b.engine()
	ids := e.entities(3)
	told, watchEnded := b.watches()
	tells := func(texts ...string) {
		t.Helper()
		b.eventually(func() bool {
			for line := range strings.Lines(told.String()) {
				all := true
				for _, text := range texts {
					all = all && strings.Contains(line, text)
				}
				if all {
					return true
				}
			}
			return false
		})
	}
	b.run("worldfs", "set", "--where", "id == "+ids[0].String(), "position = [1234.5, 0, 0]")
	tells(`"id":`+ids[0].String()+",", `"by":"set"`, "1234.5")
	b.place(config.entityPath(ids[1].String()), "4321.5")
	tells(`"id":`+ids[1].String()+",", `"by":"plain"`, "4321.5")
	e = b.engine()
	e.move(ids[2], 77)
	e.replace(true)
	tells(`"id":`+ids[2].String()+",", `"by":"pack"`)

	selected, selectEnded := b.selections()
	b.run("worldfs", "select", ids[0].String())
	b.eventually(func() bool { return strings.Contains(selected.String(), `"number":1`) })
	require.Contains(t, b.run("worldfs", "select"), ids[0].String())

	b.mount()
	watchEnded()
	require.NoError(t, selectEnded.Wait())
	require.Empty(t, b.run("worldfs", "select"), "the daemon has another selection")
	status, lines := callSocket(t, b.keptAt(), "/v1/status", "{}", 1)
	require.Equal(t, 503, status)
	require.Contains(t, lines[0], "its daemon answers")
	b.run("worldfs", "unmount")
	k.says("not mounted any more")
	status, _ = callSocket(t, b.keptAt(), "/v1/status", "{}", 1)
	require.Equal(t, 200, status)
	require.Zero(t, k.ends(), k.out.String())
	require.NoFileExists(t, b.path(".worldfs/keeper.json"))
	out, code := b.try("worldfs", "watch")
	require.Equal(t, 3, code)
	require.Contains(t, out, "worldfs mount (or keep)")
}

// A keep that was killed leaves a socket without an answer: to commands there is none, and the
// next keep has its own.
func TestKeepIsKilledWithItsSocket(t *testing.T) {
	t.Parallel()
	b := freshClone(t)
	b.run("worldfs", "pack")
	k := b.keeps()
	told, _ := b.watches()
	require.NoError(t, k.cmd.Process.Kill())
	_ = k.cmd.Wait()
	require.NotEmpty(t, told.String())
	out, code := b.try("worldfs", "select")
	require.Equal(t, 3, code)
	require.Contains(t, out, "not mounted, nor kept in step")
	k = b.keeps()
	require.Empty(t, b.run("worldfs", "select"))
	require.Zero(t, k.ends(), k.out.String())
}
