package sparse

import (
	"context"
	"encoding/xml"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/internal/support/tool"
	"github.com/worldfs/worldfs/internal/worldtree/advice"
	"github.com/worldfs/worldfs/internal/worldtree/layout"
	"github.com/worldfs/worldfs/internal/worldtree/worlddir"
)

// The depths of svn's with which something is left out.
const (
	depthEmpty   = "empty"
	depthFiles   = "files"
	depthExclude = "exclude"
)

// SVNPart is a part of a world that svn was told to leave out, whole or some of it.
type SVNPart struct {
	Name  string `json:"name"`  // entities or types
	Depth string `json:"depth"` // svn's, of what leaves it out
}

// SVNLeavesOut returns which parts of a world the depths of directories leave out. Which files
// those are, the server alone knows. A file that is left out by itself is not looked for: that
// would take a listing of all.
func SVNLeavesOut(root string, l layout.Layout) (parts []SVNPart, err error) {
	depths, err := svnDepths(root, "empty", ".", worlddir.EntitiesName, worlddir.TypesName)
	if err != nil {
		return nil, err
	}
	entities := outOf(depths["."], depths[worlddir.EntitiesName])
	if entities == "" && l.Sharded() {
		if entities, err = shardsOut(root); err != nil {
			return nil, err
		}
	}
	for _, p := range []SVNPart{{worlddir.EntitiesName, entities}, {worlddir.TypesName, outOf(depths["."], depths[worlddir.TypesName])}} {
		if p.Depth != "" {
			parts = append(parts, p)
		}
	}
	return parts, nil
}

// shardsOut returns the depth that leaves shards out, or what is in them; "" for none.
func shardsOut(root string) (string, error) {
	depths, err := svnDepths(root, "immediates", worlddir.EntitiesName)
	if depths[worlddir.EntitiesName] == depthFiles {
		return depthFiles, err
	}
	for name, depth := range depths {
		if strings.HasPrefix(name, layout.Prefix) && outOf("", depth) != "" {
			return depth, err
		}
	}
	return "", err
}

// outOf returns the depth that leaves a directory's files out, "" where they are there. above
// is the depth of the directory above it, and of its own, "" where svn has none here.
func outOf(above, of string) string {
	switch {
	case of == depthEmpty || of == depthExclude:
		return of
	case of == "" && (above == depthEmpty || above == depthFiles):
		return above
	}
	return ""
}

// svnDepths returns the depths of directories, and of what is in them to a depth, by their
// names; of a file it is there only if it is left out. What svn does not have is not there.
func svnDepths(dir, depth string, names ...string) (map[string]string, error) {
	args := []string{"info", "--non-interactive", "--xml", "--depth", depth}
	env := tool.Environment(nil, "LC_ALL=C.UTF-8", "LANGUAGE=")
	out, err := tool.New(context.Background(), dir, env, "svn", append(args, names...)...).Text()
	if err != nil && !tool.Says(err, "W155010", "E200009") { // of those that svn does not have
		return nil, err
	}
	var info struct {
		Entries []struct {
			Path  string `xml:"path,attr"`
			Kind  string `xml:"kind,attr"`
			Depth string `xml:"wc-info>depth"`
		} `xml:"entry"`
	}
	if err := xml.Unmarshal(out, &info); err != nil {
		return nil, fmt.Errorf("svn info printed what cannot be read: %w", err)
	}
	depths := make(map[string]string)
	for _, e := range info.Entries {
		if e.Kind == "dir" || e.Depth == depthExclude {
			depths[filepath.ToSlash(e.Path)] = e.Depth
		}
	}
	return depths, nil
}

// findInSVN finds a world whose world.toml svn leaves out. A directory of which it has nothing
// here is taken for one: what it has, only the server knows.
func findInSVN(from string) *World {
	top := from
	for !isDirectory(filepath.Join(top, ".svn")) {
		if top == filepath.Dir(top) {
			return nil
		}
		top = filepath.Dir(top)
	}
	rel, err := filepath.Rel(top, from)
	if err != nil {
		return nil
	}
	names := []string{rel}
	for dir := rel; ; dir = path.Dir(dir) {
		names = append(names, path.Join(dir, worlddir.ConfigName))
		if dir == "." {
			break
		}
	}
	depths, err := svnDepths(top, "empty", names...)
	if err != nil {
		return nil
	}
	for _, name := range names[1:] {
		if depths[name] == depthExclude {
			w := &World{Root: filepath.Join(top, path.Dir(name)), Known: true, says: "svn was told to leave its " + worlddir.ConfigName + " out"}
			return w.broughtBySVN(filepath.Join(top, name))
		}
	}
	if depths[rel] == depthEmpty {
		w := &World{Root: from, says: "svn was told to leave all out that is in it, and so its " + worlddir.ConfigName + ", if it has one"}
		return w.broughtBySVN(from)
	}
	return nil
}

func (w *World) broughtBySVN(name string) *World {
	if here, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(here, name); err == nil && filepath.IsLocal(rel) {
			name = rel
		}
	}
	w.brings = "svn update --set-depth infinity " + advice.Quote(name)
	return w
}

func isDirectory(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// SVNFinding returns the finding about parts that svn leaves out.
func SVNFinding(parts []SVNPart) entity.Finding {
	var says, names []string
	for _, p := range parts {
		says = append(says, fmt.Sprintf("%s/ (depth %s)", p.Name, p.Depth))
		names = append(names, p.Name)
	}
	brings := "svn update --set-depth infinity " + strings.Join(names, " ")
	return entity.Finding{Code: entity.CodeVCSSparse, File: names[0], Mend: brings,
		Message: fmt.Sprintf("svn was told to leave out of %s what others have: it is missing in this world and in its pack; %s brings it back", strings.Join(says, " and of "), brings)}
}
