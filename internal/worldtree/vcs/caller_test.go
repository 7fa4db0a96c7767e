package vcs_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

func TestACallersGitEndsWithItsContext(t *testing.T) {
	_, dir := gitWorld(t)
	git, err := vcs.Git{Dir: dir}.Caller()
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = git.Within(ctx).Call(nil, "log")
	require.ErrorIs(t, err, context.Canceled)
	_, err = git.Call(nil, "log")
	require.NoError(t, err)
}
