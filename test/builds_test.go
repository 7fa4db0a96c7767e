package test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Worlds as processes of earlier builds left them: unmounted, or killed while
// they were mounted, with edits that only the log has (scripts/samples.sh makes
// them). Each opens with what that build itself reads in it, mounts, merges,
// upgrades and ships.
func TestWorldsOfEarlierBuilds(t *testing.T) {
	t.Parallel()
	samples, err := filepath.Glob("testdata/samples/*/*.tar.gz")
	require.NoError(t, err)
	require.NotEmpty(t, samples)
	for _, sample := range samples {
		build, name := filepath.Dir(sample), strings.TrimSuffix(filepath.Base(sample), ".tar.gz")
		t.Run(filepath.Base(build)+"/"+name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, "tar")
			build, err := filepath.Abs(build)
			require.NoError(t, err)
			b.run("tar", "--no-same-owner", "-xzf", filepath.Join(build, name+".tar.gz"))
			(&sampleWorld{bench: b.cd(name), build: build}).requireUsable()
		})
	}
}

// sampleWorld is a world of an earlier build.
type sampleWorld struct {
	*bench
	build string // the directory of that build's samples
}

// worldfs runs the program without the settings that tests are run with: a
// sample has its own.
func (s *sampleWorld) worldfs(args ...string) string {
	s.Helper()
	return s.run(binary, append([]string{"-q"}, args...)...)
}

func (s *sampleWorld) requireUsable() {
	s.requireRead()
	s.requireMounted()
	s.requireRead()
	s.requireMerged()
	s.requireShipped()
}

// requireRead requires the entities and the findings that the sample's build
// read.
func (s *sampleWorld) requireRead() {
	s.Helper()
	s.worldfs("export", "-o", "../export.jsonl")
	want, err := os.ReadFile(filepath.Join(s.build, "world.jsonl"))
	require.NoError(s, err)
	require.Equal(s, string(want), s.read("../export.jsonl"))
	found, err := exec.Command("grep", "-o", `"code":"[^"]*"\|"id":[0-9]*`, filepath.Join(s.build, "findings")).Output()
	require.NoError(s, err)
	require.Equal(s, string(found), s.findings())
}

// findings returns the codes and IDs of the findings, a line each.
func (s *sampleWorld) findings() string {
	var status struct {
		Findings []struct {
			Code string
			ID   uint32
		}
	}
	require.NoError(s, json.Unmarshal([]byte(s.worldfs("status", "--json")), &status))
	var b strings.Builder
	for _, f := range status.Findings {
		text, err := json.Marshal(f.Code)
		require.NoError(s, err)
		b.WriteString(`"code":` + string(text) + "\n")
		if f.ID != 0 {
			id, err := json.Marshal(f.ID)
			require.NoError(s, err)
			b.WriteString(`"id":` + string(id) + "\n")
		}
	}
	return b.String()
}

// file returns the path of an entity's file.
func (s *sampleWorld) file(id string) string {
	if shard := "entities/" + id[len(id)-1:]; strings.HasPrefix(filepath.Base(s.dir), "shard") {
		return shard + "/" + id + ".entity_text"
	}
	return "entities/" + id + ".entity_text"
}

// requireMounted requires files as they were left: exact texts, times, modes,
// what is no entity's, and a past that can be undone.
func (s *sampleWorld) requireMounted() {
	args := []string{"mount", "--shape", "entities"}
	if strings.HasPrefix(filepath.Base(s.dir), "cover") {
		args = []string{"mount", "--cover", "."}
	}
	s.worldfs(args...)
	require.Equal(s, "Gizmo\n3\n7003\n; power\n    11\n", s.read(s.file("7003")))
	require.Contains(s, s.read(s.file("7001")), "\r\n")
	require.Equal(s, "Door\n72\n7002\n; position\n    [ broken", s.read(s.file("7002")))
	require.Contains(s, s.read(s.file("7010")), "durable only 7010")
	require.Equal(s, "a note\n", s.read("entities/notes.txt"))
	require.Equal(s, "600\n", s.run("stat", "-c", "%a", s.file("7006")))
	require.Equal(s, "981173106\n", s.run("stat", "-c", "%Y", s.file("7007")))
	s.worldfs("undo", "--any", "7004")
	require.Contains(s, s.read(s.file("7004")), "row 7004")
	s.run("rm", s.file("7004"))
	s.worldfs("unmount")
}

// requireMerged requires that another's edit of a world of that build comes in
// beside what is here, and that the conflict which it has is told.
func (s *sampleWorld) requireMerged() {
	theirs := strings.Replace(s.read("../export.jsonl"), "row 7020", "of another", 1)
	s.write("../theirs.jsonl", theirs)
	out, code := s.try(binary, "-q", "merge", "../export.jsonl", ".", "../theirs.jsonl", "-o", "../merged.jsonl")
	require.Equal(s, 1, code, out)
	require.Contains(s, out, "7008")
	require.Equal(s, theirs, s.read("../merged.jsonl"))
}

// requireShipped mends what is wrong, and upgrades and ships the rest.
func (s *sampleWorld) requireShipped() {
	s.worldfs("mount", "--shape", "entities")
	for _, id := range []string{"7002", "7003", "7008"} {
		s.run("rm", s.file(id))
	}
	s.worldfs("fmt", "--upgrade")
	s.worldfs("unmount")
	s.worldfs("pack", "--ship", "-o", "../ship.pack")
	s.worldfs("export", "--from", "../ship.pack", "-o", "../ship.jsonl")
	ship := s.read("../ship.jsonl")
	require.Contains(s, ship, `"id":6001,"type":"Door","revision":72`)
	require.Contains(s, ship, `"map_extent":512`) // the value of the field that ended
	require.NotContains(s, ship, "for us")
	require.Equal(s, 43, bytes.Count([]byte(ship), []byte(`{"entity":`)))
}

// A world of a later format is read, and nothing in it is written.
func TestAWorldOfALaterFormatIsOnlyRead(t *testing.T) {
	t.Parallel()
	b := newBench(t, "git")
	b.run("git", "init", "-q", "w")
	b.run("worldfs", "demo", "--entities", "50", "w")
	b = b.cd("w")
	b.run("git", "add", "-A")
	b.run("git", "commit", "-qm", "The world")
	b.run("worldfs", "export", "-o", "../before.jsonl")
	b.write("world.toml", b.read("world.toml")+"format = 99\n")
	b.run("git", "commit", "-qam", "A later build's")
	listing := "find . -path ./.git -prune -o -type f -printf '%p %s %T@\n' | grep -v '/lock ' | sort"
	before := b.run("sh", "-c", listing)

	require.Contains(t, b.run("worldfs", "status"), "needs format 99")
	b.run("worldfs", "export", "-o", "../after.jsonl")
	require.Equal(t, b.read("../before.jsonl"), b.read("../after.jsonl"))
	b.run("worldfs", "ls")
	out, code := b.try("worldfs", "check")
	require.Equal(t, 1, code)
	require.Contains(t, out, "get a newer worldfs")
	for _, args := range [][]string{
		{"mount"}, {"sync"}, {"import", "../before.jsonl"}, {"fmt"}, {"undo", "1"}, {"restore"}, {"unpack", "--to", "../texts"},
		{"shard", "tens"}, {"pack"}, {"merge", "git:HEAD~1", "git:HEAD", "git:HEAD~1", "-o", "../merged.jsonl"},
	} {
		out, code := b.try("worldfs", args...)
		require.Equal(t, 3, code, "%v: %s", args, out)
		require.Contains(t, out, "needs format 99", "%v", args)
	}
	require.Equal(t, before, b.run("sh", "-c", listing))
}

// A checkout beneath a mount can bring a world of a later format. What is
// written is served on; commands that would change the world are refused until
// it is back.
func TestACheckoutOfALaterFormatBeneathAMount(t *testing.T) {
	t.Parallel()
	b := mountedDemo(t, 50)
	text := b.read("world.toml")
	b.write("world.toml", text+"format = 99\n")
	out, code := b.try("worldfs", "fmt")
	require.Equal(t, 3, code)
	require.Contains(t, out, "needs format 99")
	out, code = b.try("worldfs", "check")
	require.Equal(t, 1, code)
	require.Contains(t, out, "needs format 99")
	name := b.names("entities")[0]
	b.write("entities/"+name, "broken\n")
	require.Equal(t, "broken\n", b.read("entities/"+name))
	b.write("world.toml", text)
	b.run("worldfs", "fmt")
}

// An import of types that an earlier build does not know has world.toml say so,
// mounted or not; where the types came otherwise, status asks for it and fmt
// writes it.
func TestTheFormatThatTypesNeedIsRecorded(t *testing.T) {
	t.Parallel()
	const camera = `{"type":{"name":"Camera","fields":[{"name":"view","kind":"mat4"}]}}` + "\n"
	b := mountedDemo(t, 20)
	b.write("../camera.jsonl", camera)
	before := b.read("world.toml")
	b.run("worldfs", "import", "../camera.jsonl")
	require.Contains(t, b.read("world.toml"), "\nformat = 2\n")
	require.NotContains(t, b.run("worldfs", "status"), "format")

	b.write("world.toml", before) // as a checkout of before would
	require.Contains(t, b.run("worldfs", "status"), "world.toml: the types need format 2")
	b.run("worldfs", "unmount")
	require.Contains(t, b.run("worldfs", "status"), "world.toml: the types need format 2")
	b.run("worldfs", "fmt")
	require.Contains(t, b.read("world.toml"), "\nformat = 2\n")
	require.NotContains(t, b.run("worldfs", "status"), "format")
}
