// Package gitobject reads the objects that git sends, and keeps what git said of them. An
// object never changes, a command asks for the same ones on several grounds, and each
// question to git is a process.
package gitobject

import (
	"slices"
	"sync"
)

// most is how many bytes a process keeps, and a sixteenth of it how large one answer may be.
const most = 16 << 20

var kept struct {
	sync.Mutex
	answers map[question][]byte
	size    int
}

type question struct {
	repository string // git's own directory: what an ID stands for can be replaced in each
	object     string // its ID, and what was asked about it
}

// Get returns what git said of an object, if it is kept. The caller must not modify it.
func Get(repository, object string) (answer []byte, ok bool) {
	kept.Lock()
	defer kept.Unlock()
	answer, ok = kept.answers[question{repository, object}]
	return answer, ok
}

// Put keeps a copy of what git said of an object. Where there is no room, all that was kept
// makes room.
func Put(repository, object string, answer []byte) {
	if len(answer) > most/16 {
		return
	}
	kept.Lock()
	defer kept.Unlock()
	q := question{repository, object}
	if _, known := kept.answers[q]; known {
		return
	}
	if kept.answers == nil || kept.size+len(answer) > most {
		kept.answers, kept.size = make(map[question][]byte), 0
	}
	kept.answers[q] = slices.Clone(answer)
	kept.size += len(answer)
}
