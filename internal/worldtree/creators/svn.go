package creators

import (
	"context"
	"encoding/xml"
	"strings"

	"github.com/worldfs/worldfs/internal/support/tool"
	"github.com/worldfs/worldfs/internal/worldtree/vcs"
	"github.com/worldfs/worldfs/merge"
)

// maxAsked is about how many files svn's server is asked, which takes one call a file. Of more,
// the creators are not known.
const maxAsked = 100

// InSVN returns the authors of an svn merge in a working copy: ours is what that is made from,
// theirs the directory that is merged, as URL@REV.
func InSVN(dir, theirs string) Authors {
	return func(p merge.Party, files []string) map[string]string {
		by := make(map[string]string)
		for _, name := range files[:min(len(files), maxAsked)] {
			target, rev := name+"@"+vcs.Base, vcs.Base
			if p == merge.Theirs {
				at := strings.LastIndexByte(theirs, '@')
				rev = theirs[at+1:]
				target = theirs[:at] + "/" + name + "@" + rev
			}
			if author := firstAuthor(dir, target, rev); author != "" {
				by[name] = author
			}
		}
		return by
	}
}

// firstAuthor returns by whom a file was committed first, "" if svn does not tell.
func firstAuthor(dir, target, rev string) string {
	env := tool.Environment(nil, "LC_ALL=C.UTF-8", "LANGUAGE=")
	out, err := tool.New(context.Background(), dir, env, "svn", "log", "--non-interactive", "--xml", "--quiet", "--limit", "1", "-r", "1:"+rev, target).Text()
	var log struct {
		Author string `xml:"logentry>author"`
	}
	if err != nil || xml.Unmarshal(out, &log) != nil {
		return ""
	}
	return log.Author
}
