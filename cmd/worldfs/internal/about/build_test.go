package about

import (
	"bytes"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestABuildSaysWhatTheGoToolPutIn(t *testing.T) {
	info := &debug.BuildInfo{Main: debug.Module{Version: "v0.0.0-20260101"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123abc"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05+01:00"}, {Key: "vcs.modified", Value: "true"},
	}}
	b := Build{Go: "go1", Platform: "linux/arm64", Formats: formats{3, "3.0", 4}}
	b.read(info)
	var out bytes.Buffer
	require.NoError(t, b.print(&out))
	require.Equal(t, `worldfs v0.0.0-20260101
revision  0123abc, with changes that were not committed
of        2026-01-02 02:04:05 UTC
built by  go1 for linux/arm64
formats   world 3, pack 3.0, control socket 4
`, out.String())
}

func TestTheReleasesVersionCounts(t *testing.T) {
	b := Build{Version: "1.2.3"}
	b.read(&debug.BuildInfo{Main: debug.Module{Version: "v0.0.0"}})
	require.Equal(t, "1.2.3", b.Version)
	require.False(t, b.Modified)
	require.Nil(t, b.Time)
}

func TestABuildOfWhichNothingIsKnown(t *testing.T) {
	var b Build
	b.read(&debug.BuildInfo{})
	require.Equal(t, "(unknown version)", b.Version)
}
