package test

import (
	"cmp"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/layout"
)

// config is the settings that WORLDFS_TEST_CONFIG has all tests run with:
// settings of a world, such as kernel_cache=false, and the word cover for a
// mount over the whole world directory, separated by commas.
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
		if key != "cover" {
			env = append(env, "WORLDFS_"+strings.ToUpper(key)+"="+value)
		}
	}
	return env
}

// arguments returns a command's arguments with those that the settings add.
func (s settings) arguments(args []string) []string {
	if s.cover() && slices.Contains(args, "mount") && !slices.Contains(args, "--cover") {
		return append(slices.Clone(args), "--cover", ".")
	}
	return args
}

// entityPath returns where an entity's file is in the world directory; for "*",
// what matches all of them.
func (s settings) entityPath(id string) string {
	l, err := layout.Parse(cmp.Or(s["shard"], layout.None.String()))
	if err != nil {
		panic(err) // the person who set it is looking
	}
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
