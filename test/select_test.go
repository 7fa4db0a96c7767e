package test

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// selections has the selections of a world watched, as worldfs select --watch prints them.
func (b *bench) selections() (said *output, watch *exec.Cmd) {
	b.Helper()
	said = new(output)
	watch = b.command(binary, "select", "--watch")
	watch.Stdout = said
	require.NoError(b, watch.Start())
	b.Cleanup(func() { _ = watch.Process.Kill() })
	b.eventually(func() bool { return strings.Contains(said.String(), `"number":`) })
	return said, watch
}

// What is selected by one program is told to the others, in either shape of mount, until the
// world is unmounted.
func TestSelect(t *testing.T) {
	t.Parallel()
	inBothShapes(t, func(b *bench) {
		require.Empty(t, b.run("worldfs", "select"))
		first, watch := b.selections()
		require.Contains(t, first.String(), `{"number":0,"entities":[]}`)
		require.Equal(t, "Door 6555 \"bunker door\"\nLamp 6005 \"bunker lamp\"\n", b.run("worldfs", "select", "6555", "6005", "6555"))
		b.eventually(func() bool { return strings.Contains(first.String(), `"entities":[{"id":6555,"type":"Door"`) })
		second, _ := b.selections()
		require.Contains(t, second.String(), `"number":1`, "the last one is told to a program that comes late")

		out, code := b.try("worldfs", "select", "6555", "4000000")
		require.Equal(t, 3, code)
		require.Contains(t, out, "there is no entity 4000000")
		require.Contains(t, b.run("worldfs", "select"), "bunker lamp", "what was selected stays")

		b.run("worldfs", "rm", "6005")
		require.Equal(t, "Door 6555 \"bunker door\"\n", b.run("worldfs", "select"))
		require.Empty(t, b.run("worldfs", "select", "--none"))
		b.eventually(func() bool { return strings.Contains(second.String(), `"number":2`) })
		require.Contains(t, b.run("worldfs", "select", "--json"), `"entities":[]`)

		require.NoError(t, watch.Process.Signal(syscall.SIGINT))
		require.NoError(t, watch.Wait())
	})
}

// Those who follow the selection do not keep the world mounted, and are told that it is not.
func TestSelectionsEndWithTheMount(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.run("worldfs", "demo", "--entities", "100", "w")
	b = b.cd("w")
	b.mount()
	_, watch := b.selections()
	b.run("worldfs", "unmount")
	require.NoError(t, watch.Wait())
	out, code := b.try("worldfs", "select", "6555")
	require.Equal(t, 3, code)
	require.Contains(t, out, "there is something to select")
	_, code = b.try("worldfs", "select", "--none", "6555")
	require.Equal(t, 2, code)
	b.mount()
	require.Empty(t, b.run("worldfs", "select"), "it is gone with the mount")
	b.run("worldfs", "unmount")
}
