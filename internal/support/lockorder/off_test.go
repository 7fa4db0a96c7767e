//go:build !lockorder

package lockorder

import (
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestWithoutTheTagAMutexCostsNothing(t *testing.T) {
	require.Equal(t, unsafe.Sizeof(sync.Mutex{}), unsafe.Sizeof(Mutex{}))
	require.Equal(t, unsafe.Sizeof(sync.RWMutex{}), unsafe.Sizeof(RWMutex{}))
	var m Mutex
	m.Init(&Class{Rank: 1, Name: "a"})
	m.Lock()
	defer m.Unlock()
	require.False(t, Violated())
}
