package test

var tools = []string{"sed", "perl", "gawk", "ed", "python3", "vim", "nano", "emacs", "rsync", "tar", "patch", "dd", "install", "gpg", "timeout"}

// toolFlows is tools that write files, each in its own way. What they leave
// beside a file they leave on both sides.
var toolFlows = []flow{
	{name: "filters in place", facts: toolFacts, steps: `
		sed -i 's/bunker door/door 1/' @6555
		sed -i.bak 's/door 1/door 2/' @6555 && rm @6555.bak
		perl -pi -e 's/door 2/door 3/' @6555
		perl -pi.orig -e 's/door 3/door 4/' @6555 && rm -f @6555.orig
		gawk -i inplace '{sub(/door 4/, "door 5")} 1' @6555
		printf '%%s/door 5/door 6/\nw\nq\n' | ed -s @6555
		sed 's/door 6/door 7/' @6555 >../t && sort -c -u @6555 || sort -o ../t -m ../t && cat ../t >@6555
		sed 's/door 7/door 8/' @6555 | tee ../t >/dev/null && cp ../t @6555
		sed -i 's/door/porte/' $all
		sed -i 's/porte/door/' $all
		is "door 8" @6555 && ` + alone + `
		`},
	{name: "redirection", facts: toolFacts, steps: `
		t=$(sed 's/bunker door/door 1/' @6555) && printf '%s\n' "$t" >@6555
		head -c 100 @6555 >../a && tail -c +101 @6555 | sed 's/door 1/door 2/' >../b && cat ../a >@6555 && cat ../b >>@6555
		cp @6555 ../t && : >@6555 && while read -r line; do printf '%s\n' "$line" >>@6555; done <../t
		cp ../t @6555
		truncate -s 100 @6555 && tail -c +101 ../t >>@6555
		truncate -s 5000 @6555 && truncate -s "$(wc -c <../t)" @6555 && cp ../t @6555
		printf 'Moor' | dd of=@6555 conv=notrunc status=none && printf 'Door' | dd of=@6555 conv=notrunc status=none
		dd if=../t of=@6555 bs=7 status=none
		dd if=../t of=@6555 bs=64 conv=fsync status=none
		exec 3<>@6555 && cat <&3 >/dev/null && printf '\n' >&3 && exec 3>&- && cp ../t @6555
		is "door 2" @6555 && ` + alone + `
		`},
	{name: "python", facts: toolFacts, steps: `
		python3 -c 'import sys; p=sys.argv[1]; s=open(p).read(); open(p,"w").write(s.replace("bunker door","door 1"))' @6555
		python3 -c 'import sys; p=sys.argv[1]; f=open(p,"r+"); s=f.read(); f.seek(0); f.write(s.replace("door 1","d")); f.truncate(); f.close()' @6555
		python3 -c 'import sys,os; p=sys.argv[1]; s=open(p).read(); f=open(p+".tmp","w"); f.write(s.replace("\"d\"","\"door 3\"")); f.flush(); os.fsync(f.fileno()); f.close(); os.replace(p+".tmp",p)' @6555
		python3 -c 'import sys,mmap; f=open(sys.argv[1],"r+b"); m=mmap.mmap(f.fileno(),0); i=m.find(b"door 3"); m[i:i+6]=b"door 4"; m.flush(); m.close()' @6555
		python3 -c 'import sys,os; p=sys.argv[1]; f=open(p); os.unlink(p); s=f.read(); open(p,"w").write(s.replace("door 4","door 5"))' @6555
		is "door 5" @6555 && ` + alone + `
		`},
	{name: "copying", facts: toolFacts, steps: `
		sed 's/bunker door/door 1/' @6555 >../t && cp ../t @6555
		sed -i 's/door 1/door 2/' ../t && cp -a ../t @6555
		sed -i 's/door 2/door 3/' ../t && cp --backup ../t @6555 && rm @6555~
		sed -i 's/door 3/door 4/' ../t && cp --remove-destination ../t @6555
		sed -i 's/door 4/door 5/' ../t && install -m 644 ../t @6555
		sed -i 's/door 5/door 6/' ../t && install -b -m 600 ../t @6555 && rm @6555~
		sed -i 's/door 6/door 7/' ../t && cp ../t ../u && mv ../u @6555
		sed 's/door 7/door 8/' @6555 >@6555.new && mv @6555.new @6555
		sed 's/door 8/door 9/' @6555 >@6555.new && mv -b @6555.new @6555 && rm @6555~
		mv @6555 ../t && mv ../t @6555
		mv @6555 @6555.old && cp @6555.old @6555 && rm @6555.old
		mkdir entities/d && mv @6555 entities/d && mv entities/d/6555.entity_text @6555 && rmdir entities/d
		cp -r entities ../copy && rm $all && cp -r ../copy/* entities
		ln @6555 entities/hard || : && rm -f entities/hard
		is "door 9" @6555 && ` + alone + `
		`},
	{name: "rsync", facts: toolFacts, steps: `
		rsync -r entities ../r && sed -i 's/bunker door/door 1/' ../r/@6555
		touch -d 2030-01-01 ../r/@6555 && rsync -r --exclude '*.bak' ../r/entities/ entities
		sed -i 's/door 1/door 2/' ../r/@6555 && touch -d 2030-01-02 ../r/@6555 && rsync --inplace ../r/@6555 $(dirname @6555)
		sed -i 's/door 2/door 33/' ../r/@6555 && touch -d 2030-01-03 ../r/@6555 && rm ../r/@10001 && rsync -a --delete ../r/entities/ entities
		sed -i 's/door 33/door 4/' ../r/@6555 && rsync --checksum --backup ../r/@6555 $(dirname @6555) && rm @6555~
		sed -i 's/door 4/door 5/' ../r/@6555 && rsync -a --checksum --delay-updates --no-whole-file ../r/entities/ entities && rsync -a --checksum --delete -n -i ../r/entities/ entities
		git checkout -q @10001
		is "door 5" @6555 && ` + alone + `
		`},
	{name: "archives and patches", facts: toolFacts, steps: `
		mkdir ../r && sed 's/bunker door/door 1/' @6555 >../r/6555.entity_text && tar -C ../r -cf - 6555.entity_text | tar -C $(dirname @6555) -xf -
		tar -cf ../all.tar entities && rm $all && tar -xf ../all.tar && tar -df ../all.tar && rm ../all.tar
		tar -cf ../all.tar entities && tar -xf ../all.tar --overwrite && tar -xf ../all.tar --unlink-first --wildcards '*_text' && rm ../all.tar
		cp @6555 ../t && sed 's/door 1/door 2/' @6555 >../u && ! diff -u --label t --label u ../t ../u >../p && patch -s @6555 ../p
		patch -s -R @6555 ../p && patch -s -b @6555 ../p && rm @6555.orig
		! patch -s -N -r - @6555 ../p >/dev/null && rm -f @6555.orig
		rm ../p
		is "door 2" @6555 && ` + alone + `
		`},
	// vim makes no backups in /tmp, where the tests may be, unless told to. By
	// default it keeps one only while it writes: it renames the file, where that
	// loses nothing, and creates it anew.
	{name: "vim", facts: toolFacts, steps: `
		vim -Nes --cmd 'set backupskip=' '+%s/bunker door/door 1/' +wq @6555
		vim -u NONE -es --cmd 'set backupskip=' '+%s/door 1/door 2/' +wq @6555
		vim -u NONE -N -es --cmd 'set backupskip= backup writebackup backupcopy=no' '+%s/door 2/door 3/' +wq @6555 && is "door 2" @6555~ && rm @6555~
		ino=$(stat -c %i @6555) && vim -u NONE -N -es --cmd 'set backupskip= backup writebackup backupcopy=yes' '+%s/door 3/door 4/' +wq @6555 && test $ino = $(stat -c %i @6555) && is "door 3" @6555~ && rm @6555~
		vim -u NONE -N -es --cmd 'set backupskip= backupcopy=auto' '+%s/door 4/door 5/' +w '+%s/door 5/door 6/' +wq @6555
		ino=$(stat -c %i @6555) && type Door ':%s/door 6/door 7/\r:w\r:%s/door 7/door 8/\r:w\r:e\r:%s/door 8/door 9/\r:wq\r' -- vim --cmd 'set backupskip=' @6555 && test $ino != $(stat -c %i @6555)
		type Door ':set backup backupdir=.\r:%s/door 9/door 10/\r:w\r:%s/door 10/door 11/\r:wq\r' -- vim --cmd 'set backupskip=' @6555 && is "door 10" @6555~ && rm @6555~
		vim -Nes '+%s/door 11/door 12/' +wq @6555
		is "door 12" @6555 && ` + alone + `
		`},
	{name: "nano", facts: toolFacts, steps: `
		type 'GNU nano' '\x1cbunker\rsteel\rA\x0f\r\x18' -- nano @6555
		type 'GNU nano' '\x1csteel\roak\rA\x0f\r\x1coak\rash\rA\x0f\r\x18' -- nano @6555
		type 'GNU nano' '\x1cash\relm\rA\x0f\r\x18' -- nano -B @6555 && rm @6555~
		is "elm door" @6555 && ` + alone + `
		`},
	{name: "emacs", facts: toolFacts, steps: `
		` + emacs("bunker", "steel") + ` && ! ls @6555~
		` + emacs("steel", "oak", "--eval", backups) + ` && is "steel door" @6555~ && rm @6555~
		` + emacs("oak", "ash", "--eval", backups, "--eval", "(setq backup-by-copying t)") + ` && is "oak door" @6555~ && rm @6555~
		` + emacs("ash", "elm", "--eval", "(setq make-backup-files nil file-precious-flag t)") + `
		is "elm door" @6555 && ` + alone + `
		`},
	// gpg takes its lock by a second link of a file that it keeps, again and again.
	{name: "gpg", facts: toolFacts, steps: `
		mkdir -m 700 entities/g && export GNUPGHOME=$PWD/entities/g && for i in 1 2 3; do ` + gpg + `--quick-gen-key "Key $i <$i@example.com>" ed25519 sign never; done && echo signed >entities/t && ` + gpg + `-u 2@example.com -b entities/t && ` + gpg + `--verify entities/t.sig entities/t && git -c user.signingkey=3@example.com commit -q --allow-empty -S -m signed 2>../log && git verify-commit HEAD 2>../log; status=$?; gpgconf --kill all; git reset -q HEAD^ && rm -r entities/g entities/t* ../log && test $status = 0
		! ls entities/g 2>/dev/null && test -z "$(git status --porcelain)"
		`},
}

// gpg asks nothing and, should it wait for a lock that never comes free, ends.
const gpg = `timeout 60 gpg --batch --quiet --passphrase '' 2>../log `

// toolFacts is what a tool has left. In the end of each flow the one file that
// it changed is all that is changed.
const (
	toolFacts = `ls -A entities; cat @6555; git status --porcelain`
	alone     = `test "$(git status --porcelain)" = " M @6555"`
)

// backups has emacs make them, as it does by itself outside of /tmp and of what
// is in version control.
const backups = `(setq vc-handled-backends nil backup-enable-predicate (lambda (name) t))`

// emacs returns a command that has emacs change one word to another and save
// it, and both once more in the same buffer: there it would ask about a file
// that somebody else has changed.
func emacs(from, to string, options ...string) string {
	command := "emacs --batch -Q"
	for _, o := range options {
		command += " '" + o + "'"
	}
	change := func(from, to string) string {
		return `(goto-char (point-min)) (search-forward "` + from + `") (replace-match "` + to + `") (save-buffer) `
	}
	return command + ` @6555 --eval '(progn ` + change(from, to) + change(to, from) + change(from, to) + `)' 2>/dev/null </dev/null`
}
