package vcs

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// throughPrefix begins the key of a merge that met no conflict.
const throughPrefix = "svn update, gone through "

func (k *svnKept) isThrough() bool { return strings.HasPrefix(k.Operation, throughPrefix) }

// isEdited reports whether something is left of a merge to commit, or to settle.
func (m *SVNMerge) isEdited(k *svnKept) bool {
	for name, f := range m.files {
		if p := k.Files[name]; f.disk != f.base || p != nil && p.Unmerged {
			return true
		}
	}
	return false
}

// through returns a merge without a conflict, nil if nothing was edited here. Nothing of it
// is kept until Keep.
func (m *SVNMerge) through() (*SVNMerge, error) {
	p := &pinning{SVNMerge: m}
	p.fresh = svnKept{Kind: Updating, Files: make(map[string]*svnPinned), Texts: make(map[string][]byte)}
	m.kept = &p.fresh
	if err := p.pinUpdate(); err != nil {
		return nil, err
	}
	if len(p.fresh.Files) == 0 {
		return nil, nil
	}
	key := sha1.New()
	for _, name := range slices.Sorted(maps.Keys(p.fresh.Files)) {
		fmt.Fprintln(key, name, p.fresh.Files[name].Base)
	}
	p.fresh.Operation = throughPrefix + hex.EncodeToString(key.Sum(nil))
	m.gone = true
	return m, nil
}

// IsThrough reports whether the merge met no conflict, and nothing of it was kept yet.
func (m *SVNMerge) IsThrough() bool { return m.gone }

// WentThrough reports whether the merge met no conflict: it is read as an update.
func (m *SVNMerge) WentThrough() bool { return m.kept.isThrough() }

// IsDeleted reports whether the next commit deletes a file, or the file was in conflict and
// gone here, or is gone here and in what came: a directory in its place keeps an update from
// bringing it back, as one does else that is gone without svn's knowledge.
func (m *SVNMerge) IsDeleted(name string) bool {
	if f := m.files[name]; f != nil && f.schedule == "delete" {
		return true
	}
	if m.kept == nil || m.kept.Files[name] == nil {
		return false
	}
	return m.kept.Files[name].isDeleted()
}

func (p *svnPinned) isDeleted() bool {
	return p.Sides[1] == "" && (p.Conflict != "" || p.Above == "" && p.Sides[0] != "" && p.Sides[2] == "")
}

// Keep has the next call find the merge.
func (m *SVNMerge) Keep() error {
	m.gone = false
	return m.save()
}

// PinRemoved has files be on both sides but theirs that an update has removed: svn keeps
// their texts for a while. name returns the file that a text is to be, "" for none. It
// reports whether there is one.
func (m *SVNMerge) PinRemoved(name func(text []byte) string) (found bool, err error) {
	used, named := make(map[string]bool), make(map[string]int) // by whatever is in the working copy, which may be another world
	out, err := m.svn(context.Background(), m.top, "info", "--xml", "--depth", "infinity", m.top+"@").Text()
	if err == nil || onlyMissing(err) {
		err = eachNode(bufio.NewReader(bytes.NewReader(out)), func(n node) error { used[n.checksum] = true; named[path.Base(n.path)]++; return nil })
	}
	if err != nil {
		return false, err
	}
	paths, err := filepath.Glob(filepath.Join(m.top, ".svn", "pristine", "*", "*.svn-base"))
	if err != nil {
		return false, err
	}
	newest := make(map[string]time.Time)
	for _, at := range paths {
		object := strings.TrimSuffix(filepath.Base(at), ".svn-base")
		info, err := os.Stat(at)
		if used[object] || err != nil || m.query.tooLarge(info.Size()) {
			continue
		}
		_, data, err := pristine(m.top, object, m.query)
		if err != nil {
			continue // it is of no use, and svn needs it no longer
		}
		file := name(data)
		if f := m.files[file]; file == "" || f != nil || info.ModTime().Before(newest[file]) || named["world.toml"] > 1 && !m.had(file, object) {
			continue
		}
		newest[file], m.kept.Texts[object] = info.ModTime(), data
		m.kept.Files[file] = &svnPinned{Sides: [3]string{object, object, ""}, Staged: new(string)}
	}
	return len(newest) > 0, nil
}

// had reports whether a file had a text until it was deleted, as the server says.
func (m *SVNMerge) had(name, object string) bool {
	said := func(verb string, args ...string) string {
		out, _ := m.svn(context.Background(), m.dir, verb, args...).Text() // nothing is no such file
		return string(out)
	}
	at := strings.TrimRight(said("info", "--show-item", "relative-url", m.target("")), "/\n") + "/" + name
	inLog, _ := url.PathUnescape(strings.TrimPrefix(at, "^"))
	later, _, _ := strings.Cut(said("log", "-q", "-v", m.target("")), "   D "+inLog+"\n")
	var deleted int
	_, err := fmt.Sscanf(later[strings.LastIndex(later, "\nr")+1:], "r%d", &deleted)
	return err == nil && Checksum.ObjectOf([]byte(said("cat", "--ignore-keywords", fmt.Sprint(at, "@", deleted-1)))) == object
}
