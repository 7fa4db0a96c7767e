package fsnode_test

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/cache"
	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/fsnode"
)

// What removes or renames an entity's file is known by its thread.
func TestNamesThatComeAndGo(t *testing.T) {
	var mu sync.Mutex
	var heard []string
	r := newRig(t, 4, func(o *fsnode.Options) {
		o.Named = func(id entity.ID, there bool, thread uint32) {
			mu.Lock()
			defer mu.Unlock()
			heard = append(heard, fmt.Sprint(id, there, thread))
		}
	})
	hears := func(want ...string) {
		t.Helper()
		mu.Lock()
		defer mu.Unlock()
		require.Equal(t, want, heard)
		heard = nil
	}
	run := func(name string, args ...string) int {
		cmd := exec.Command(name, args...)
		require.NoError(t, cmd.Run())
		return cmd.Process.Pid
	}
	pid := run("rm", r.path("1.entity_text"))
	hears(fmt.Sprint(1, false, pid))
	pid = run("mv", r.path("2.entity_text"), r.path("2.bak"))
	hears(fmt.Sprint(2, false, pid))
	pid = run("mv", r.path("2.bak"), r.path("5.entity_text"))
	hears(fmt.Sprint(5, true, pid))
	pid = run("mv", r.path("3.entity_text"), r.path("6.entity_text"))
	hears(fmt.Sprint(3, false, pid), fmt.Sprint(6, true, pid))
	require.Error(t, os.Remove(r.path("9.entity_text")))
	hears()
	_, err := r.world.Import(cache.Intake{Whole: true, Types: []*entity.Type{lampType()}, Entities: []*entity.Entity{lamp(4, lampType()), lamp(6, lampType())}})
	require.NoError(t, err)
	hears(fmt.Sprint(5, false, 0))
}
