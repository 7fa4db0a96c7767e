package test

import (
	"strings"

	"github.com/stretchr/testify/require"
)

// outside is a bench in a world that is mounted in a shape, from outside of the
// world.
type outside struct {
	*bench
	shape string
}

// worldfs runs a command on the world from outside of it: nobody can stand in a
// mount that is dead.
func (o outside) worldfs(args ...string) (out string, code int) {
	o.Helper()
	return o.cd("..").try("worldfs", o.arguments(args)...)
}

func (o outside) arguments(args []string) []string {
	args = append([]string{"-C", o.dir}, args...)
	switch {
	case args[2] != "mount":
	case o.shape == "cover":
		args = append(args, "--cover", o.dir)
	default:
		args = append(args, "--shape", o.shape)
	}
	return args
}

// must runs a command on the world that must succeed.
func (o outside) must(args ...string) string {
	o.Helper()
	out, code := o.worldfs(args...)
	require.Zero(o, code, "worldfs %s\n%s", strings.Join(args, " "), out)
	return out
}

// at returns the bench in another directory.
func (b *bench) at(dir string) *bench {
	there := *b
	there.dir = dir
	return &there
}
