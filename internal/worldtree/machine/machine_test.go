package machine_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/worldtree/machine"
)

// card is a network interface as sysfs shows it.
type card struct {
	name, device, kind, assigned, address string
}

func sysfs(t *testing.T, cards ...card) string {
	t.Helper()
	sys := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(sys, "class", "net"), 0o755))
	for _, c := range cards {
		dir := filepath.Join(sys, "class", "net", c.name)
		require.NoError(t, os.MkdirAll(dir, 0o755))
		for name, value := range map[string]string{"type": c.kind, "addr_assign_type": c.assigned, "address": c.address} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(value+"\n"), 0o444))
		}
		if c.device != "" {
			device := filepath.Join(sys, "devices", c.device)
			require.NoError(t, os.MkdirAll(device, 0o755))
			require.NoError(t, os.Symlink(device, filepath.Join(dir, "device")))
		}
	}
	return sys
}

var (
	board   = card{"eno1", "pci0000:00/0000:00:1f.6", "1", "0", "bc:ae:c5:66:28:e9"}
	wlan    = card{"wlan0", "pci0000:00/0000:02:00.0", "1", "0", "3c:58:c2:00:11:22"}
	strange = []card{
		{"lo", "", "772", "0", "00:00:00:00:00:00"},
		{"dock0", "pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0", "1", "0", "00:e0:4c:68:00:01"},
		{"tun0", "", "65534", "0", ""},
		{"wg0", "", "65534", "0", ""},
		{"docker0", "", "1", "3", "02:42:ac:11:00:01"},
		{"tap0", "", "1", "0", "10:00:00:00:00:01"},
		{"wlan1", "pci0000:00/0000:03:00.0", "1", "3", "3c:58:c2:00:11:33"},
		{"local0", "pci0000:00/0000:04:00.0", "1", "0", "02:58:c2:00:11:33"},
		{"vf0", "pci0000:00/0000:04:00.1", "1", "1", "0c:58:c2:00:11:33"},
		{"ib0", "pci0000:00/0000:05:00.0", "32", "0", "80:00:02:08:fe:80:00:00:00:00:00:00:00:02:c9:03:00:0b:4a:01"},
		{"none0", "pci0000:00/0000:06:00.0", "1", "0", "00:00:00:00:00:00"},
	}
)

func TestOnlyLastingAddressesCount(t *testing.T) {
	m := machine.Machine{Sys: sysfs(t, append(strange, board, wlan)...), Config: t.TempDir()}
	both := []string{"3c:58:c2:00:11:22", "bc:ae:c5:66:28:e9"}
	require.Equal(t, both, m.Addresses())
	require.Equal(t, both, m.Keys())
	keys, err := m.NewKeys()
	require.NoError(t, err)
	require.Equal(t, both, keys, "all addresses are named")
	require.NoFileExists(t, filepath.Join(m.Config, "worldfs", "machine-key"))
}

func TestAMachineWithoutAnAddressHasAKey(t *testing.T) {
	for name, sys := range map[string]string{"strange cards": sysfs(t, strange...), "no sysfs": "/nowhere"} {
		t.Run(name, func(t *testing.T) {
			m := machine.Machine{Sys: sys, Config: t.TempDir()}
			require.Empty(t, m.Keys(), "asking makes no key")
			keys := make([]string, 8)
			var wait sync.WaitGroup
			for i := range keys {
				wait.Go(func() {
					made, err := m.NewKeys()
					if err == nil && len(made) == 1 {
						keys[i] = made[0]
					}
				})
			}
			wait.Wait()
			require.Regexp(t, `^key-[0-9a-f]{16}$`, keys[0])
			for _, key := range keys {
				require.Equal(t, keys[0], key, "all processes have the same")
			}
			require.Equal(t, keys[:1], m.Keys())
			info, err := os.Stat(filepath.Join(m.Config, "worldfs", "machine-key"))
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
			left, err := os.ReadDir(filepath.Join(m.Config, "worldfs"))
			require.NoError(t, err)
			require.Len(t, left, 1)

			// A card that comes later takes nothing away.
			m.Sys = sysfs(t, board)
			require.Equal(t, []string{"bc:ae:c5:66:28:e9", keys[0]}, m.Keys())
		})
	}
}

func TestWhatKeepsAKeyFromBeingHadIsSaid(t *testing.T) {
	t.Setenv("HOME", "")
	t.Setenv("XDG_CONFIG_HOME", "")
	m := machine.Machine{Sys: "/nowhere"}
	require.Empty(t, m.Keys())
	_, err := m.NewKeys()
	require.ErrorContains(t, err, "set HOME or XDG_CONFIG_HOME, or choose a role")

	m.Config = t.TempDir()
	path := filepath.Join(m.Config, "worldfs", "machine-key")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte("key-xyz\n"), 0o600))
	_, err = m.NewKeys()
	require.ErrorContains(t, err, "remove it, and another is made")
}
