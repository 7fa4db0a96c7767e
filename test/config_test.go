package test

import (
	"cmp"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
)

// config is the settings that WORLDFS_TEST_CONFIG has all tests run with:
// settings of a world, such as kernel_cache=false, and the word cover for a
// mount over the whole world directory, separated by commas. shard goes with a
// world's tree, so each world that a test makes is brought into it.
var config = parseConfig(os.Getenv("WORLDFS_TEST_CONFIG"))

type settings map[string]string

func parseConfig(text string) settings {
	s := make(settings)
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '\n' || r == ' ' }) {
		key, value, _ := strings.Cut(word, "=")
		s[key] = value
	}
	return s
}

func (s settings) cover() bool { _, ok := s["cover"]; return ok }

// environment returns the variables that set the settings.
func (s settings) environment() (env []string) {
	for key, value := range s {
		if key != "cover" && key != "shard" {
			env = append(env, "WORLDFS_"+strings.ToUpper(key)+"="+value)
		}
	}
	return env
}

// arguments returns a command's arguments with those that the settings add.
func (s settings) arguments(args []string) []string {
	if slices.Contains(args, "mount") {
		return s.shaped(args)
	}
	return args
}

// shaped returns the arguments of mount or run with the shape of the settings, where they
// name none.
func (s settings) shaped(args []string) []string {
	if s.cover() && !slices.Contains(args, "--cover") && !slices.Contains(args, "--shape") {
		return append(slices.Clone(args), "--cover", ".")
	}
	return args
}

// toShard returns the arguments of the command that brings a world into the
// shards of the settings, where a command with these arguments has made one.
func (s settings) toShard(args []string) []string {
	if s["shard"] == "" || slices.Contains(args, "--ignores") || !slices.ContainsFunc(args, func(arg string) bool { return arg == "init" || arg == "demo" }) {
		return nil
	}
	dir := args[len(args)-1]
	if dir == "init" || strings.HasPrefix(dir, "-") {
		dir = "."
	}
	return []string{"-C", dir, "shard", s["shard"]}
}

// entityPath returns where an entity's file is in the world directory; for "*",
// what matches all of them.
func (s settings) entityPath(id string) string {
	l := s.layout()
	if id != "*" {
		n, err := entity.ParseID(id)
		if err != nil {
			panic(err)
		}
		return path.Join("entities", l.Path(n))
	}
	if l.Sharded() {
		return path.Join("entities", "*", "*"+layout.Suffix)
	}
	return path.Join("entities", "*"+layout.Suffix)
}

// layout returns where in entities/ the entities' files are.
func (s settings) layout() layout.Layout {
	l, err := layout.Parse(cmp.Or(s["shard"], layout.None.String()))
	if err != nil {
		panic(err) // the person who set it is looking
	}
	return l
}
