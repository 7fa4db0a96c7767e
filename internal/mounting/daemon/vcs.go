package daemon

import "github.com/worldfs/worldfs/internal/worldtree/vcssync"

var vcsCommand = define(command[vcssync.Update, vcssync.Record]{
	name: "vcs", writes: func(vcssync.Update) bool { return true },
	do:       func(s service, u vcssync.Update) (vcssync.Record, error) { return vcssync.Note(s.dir, u) },
	inDaemon: func(d *daemon, u vcssync.Update) (vcssync.Record, error) { return d.vcs.Note(d.dir, u) },
})

// NoteVCS changes what is on record that version control has to be told, and returns it.
func (w *World) NoteVCS(u vcssync.Update) (vcssync.Record, error) { return vcsCommand.on(w, u) }

// IsMounted reports whether the world is used through its daemon.
func (w *World) IsMounted() bool {
	_, mounted := w.open.(*Client)
	return mounted
}
