package test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Tools that edit in place, each in its own way: the right bytes, no leftover,
// and a world without findings.
func TestToolsThatEditInPlace(t *testing.T) {
	for name, script := range map[string]string{
		"sed":       `sed -i 's/bunker door/steel door/' F`,
		"perl":      `perl -pi -e 's/bunker door/steel door/' F`,
		"truncate":  `t=$(sed 's/bunker door/steel door/' F) && printf '%s\n' "$t" > F`,
		"cp":        `sed 's/bunker door/steel door/' F > ../t && cp ../t F`,
		"mv":        `sed 's/bunker door/steel door/' F > ../t && mv ../t F`,
		"mv within": `sed 's/bunker door/steel door/' F > F.new && mv F.new F`,
		"backup":    `cp F ../t && sed -i 's/bunker door/steel door/' ../t && cp --backup F F.keep && mv F F~ && cp ../t F && rm F~ F.keep`,
		"rsync":     `mkdir ../r && sed 's/bunker door/steel door/' F > ../r/F && touch -d tomorrow ../r/F && rsync ../r/F F && rm -r ../r`,
		"ed vim":    `vim -u NONE -es +'%s/bunker door/steel door/' +wq F </dev/null`,
		"vim":       `HOME=/nonexistent vim -u NONE -N -es --cmd 'set backup writebackup backupcopy=no' +'%s/bunker door/steel door/' +wq F </dev/null; rm -f F~`,
		"patch":     `sed 's/bunker door/steel door/' F > ../t; diff -u F ../t > ../p || true; patch -s F ../p; rm -f F.orig`,
		"python":    `python3 -c "p='F'; s=open(p).read(); open(p,'w').write(s.replace('bunker door','steel door'))"`,
		"tar":       `mkdir ../r && sed 's/bunker door/steel door/' F > ../r/F && tar -C ../r -cf - F | tar xf - && rm -r ../r`,
		"append":    `head -c 100 F > ../a; tail -c +101 F | sed 's/bunker door/steel door/' > ../b; cat ../a > F; cat ../b >> F`,
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, "sed", "perl", "rsync", "vim", "patch", "python3", "tar")
			b.run("worldfs", "demo", "--entities", "20", "w")
			b = b.cd("w")
			b.mount()
			names := b.names("entities")
			file := "6555.entity_text"
			want := strings.Replace(b.read("entities/"+file), "bunker door", "steel door", 1)
			require.Contains(t, want, "steel door")
			b.cd("entities").run("sh", "-ec", strings.ReplaceAll(script, "F", file))
			require.Equal(t, want, b.read("entities/"+file))
			require.Equal(t, names, b.names("entities"), "no leftover")
			require.Empty(t, b.run("worldfs", "check"))
			require.Contains(t, b.run("worldfs", "show", "6555"), "steel door")
			b.run("worldfs", "unmount")
			require.Contains(t, b.run("worldfs", "export"), "steel door")
		})
	}
}
