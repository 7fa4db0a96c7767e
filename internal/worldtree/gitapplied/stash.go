package gitapplied

import (
	"slices"
	"strings"

	"github.com/worldfs/worldfs/internal/worldtree/vcs"
)

// droppedStash returns the stash that was taken in, if it was dropped since, nil where it was
// none. No ref has such a stash; git keeps it for some weeks all the same.
func (f *finder) droppedStash() *vcs.Operation {
	all, err := f.allStashes()
	if err != nil {
		return nil
	}
	for _, stash := range all {
		if is, err := f.comesOf(stash[0]); is && err == nil {
			// What is to be done about it is done: the edits are again what they were, not committed.
			return &vcs.Operation{Kind: vcs.Unstashing, Bases: []string{stash[1]}, Ours: f.head, Theirs: stash[0], Mine: true, Begun: f.begun()}
		}
	}
	return nil
}

// allStashes returns the stashes that git has, dropped or not, the newest first, each with what it
// was made on.
func (f *finder) allStashes() ([][2]string, error) {
	all, err := f.Call(nil, "cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objecttype) %(objectname)")
	if err != nil {
		return nil, err
	}
	var commits strings.Builder
	for line := range strings.Lines(string(all)) {
		if commit, ok := strings.CutPrefix(line, "commit "); ok {
			commits.WriteString(commit)
		}
	}
	log, err := f.Call([]byte(commits.String()), "log", "--no-walk=sorted", "--stdin", "--format=%H %P%x00%s")
	return stashes(string(log)), err
}

// stashes returns the stashes among commits, each with what it was made on. The second parent
// of a stash is its index, as a commit on what it was made on.
func stashes(log string) (found [][2]string) {
	parents := make(map[string][]string)
	var named []string
	for line := range strings.Lines(log) {
		commit, subject, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\x00")
		words := strings.Fields(commit)
		if len(words) == 0 {
			continue
		}
		parents[words[0]] = words[1:]
		if subject == "autostash" || strings.HasPrefix(subject, "WIP on ") || strings.HasPrefix(subject, "On ") {
			named = append(named, words[0])
		}
	}
	for _, commit := range named {
		if of := parents[commit]; len(of) >= 2 && slices.Equal(parents[of[1]], of[:1]) {
			found = append(found, [2]string{commit, of[0]})
		}
	}
	return found
}
