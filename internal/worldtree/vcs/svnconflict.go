package vcs

import (
	"cmp"
	"encoding/xml"
	"net/url"
	"strings"
)

// svnConflict is a conflict that svn has about a file or a directory.
type svnConflict struct {
	tree, property bool
	operation      string // update, switch, merge
	reason, action string // of a tree conflict: what was done here, and what came in
	left, right    svnVersion
	prevBase       string // of a text conflict, the files with what was before
	prevWC         string
}

// svnVersion is what one side of a conflict was in the repository.
type svnVersion struct{ repository, path, revision, kind string }

// id says which conflict it is: that of another update has another.
func (c *svnConflict) id() string {
	what := "text"
	if c.tree {
		what = c.reason + "/" + c.action
	}
	return strings.Join([]string{c.operation, what, cmp.Or(c.left.revision, "-"), cmp.Or(c.right.revision, "-")}, " ")
}

// conflict reads an element of a conflict that svn info prints.
func (n *node) conflict(t xml.StartElement) {
	attr := make(map[string]string)
	for _, a := range t.Attr {
		attr[a.Name.Local] = a.Value
	}
	if t.Name.Local != "version" {
		n.conflicts = append(n.conflicts, svnConflict{
			tree: t.Name.Local == "tree-conflict", property: attr["type"] == "property",
			operation: attr["operation"], reason: attr["reason"], action: attr["action"],
		})
		return
	}
	if len(n.conflicts) == 0 {
		return
	}
	c := &n.conflicts[len(n.conflicts)-1]
	v := svnVersion{attr["repos-url"], attr["path-in-repos"], attr["revision"], attr["kind"]}
	if attr["side"] == "source-left" {
		c.left = v
	} else {
		c.right = v
	}
}

func (n *node) conflictFile(element, text string) {
	if len(n.conflicts) == 0 {
		return
	}
	c := &n.conflicts[len(n.conflicts)-1]
	if element == "prev-base-file" {
		c.prevBase = text
	} else {
		c.prevWC = text
	}
}

// content returns the conflict about a node's text or about its being there; nil if
// there is none.
func (n *node) content() *svnConflict {
	for i := range n.conflicts {
		if !n.conflicts[i].property {
			return &n.conflicts[i]
		}
	}
	return nil
}

// place returns where the directory is, in which a version has a name.
func (v *svnVersion) place(name string) (place, bool) {
	dir, ok := strings.CutSuffix(v.path, name)
	if v.repository == "" || v.revision == "" || !ok || dir != "" && !strings.HasSuffix(dir, "/") {
		return place{}, false
	}
	at := v.repository
	for part := range strings.SplitSeq(strings.TrimSuffix(dir, "/"), "/") {
		if part != "" {
			at += "/" + url.PathEscape(part)
		}
	}
	return place{url: at, rev: v.revision}, true
}
