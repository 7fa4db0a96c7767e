package vcs

import (
	"bufio"
	"bytes"
	"strings"
	"testing"
)

// What the tools print is believed to be theirs, but nothing that they print
// breaks us or takes memory that it does not fill.

func FuzzReceive(f *testing.F) {
	const oid = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
	f.Add([]byte(oid + " blob 3\nabc\n"))
	f.Add([]byte(oid + " blob 9000000000000000000\nabc\n"))
	f.Add([]byte(oid + " missing\n"))
	f.Add([]byte(oid + " blob -1\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries := []Listed{{Name: "a", Object: oid}, {Name: "b", Kind: Symlink}, {Name: "c", Object: oid}}
		_, _ = (&repository{}).receive(bufio.NewReader(bytes.NewReader(data)), entries, nil, Query{Limit: 1 << 30}, func(file File) bool {
			if len(file.Data) > len(data) {
				t.Fatalf("%d bytes out of %d", len(file.Data), len(data))
			}
			return true
		})
	})
}

func FuzzTreeEntry(f *testing.F) {
	f.Add("100644 blob e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\tentities/1.entity_text")
	f.Add("120000 blob e69de29b\ta\tb")
	f.Fuzz(func(t *testing.T, line string) {
		e, err := parseListed(line)
		if err == nil && (!strings.HasSuffix(line, "\t"+e.Name) || !isHex(e.Object)) {
			t.Fatalf("%q read as %+v", line, e)
		}
	})
}

func FuzzNodes(f *testing.F) {
	f.Add([]byte(`<info><entry path="a&quot;" kind="file" revision="1"><wc-info><schedule>normal</schedule><checksum>ab</checksum></wc-info></entry></info>`))
	f.Add([]byte(`</entry><entry`))
	f.Fuzz(func(t *testing.T, data []byte) {
		_ = eachNode(bytes.NewReader(data), func(n node) error {
			if len(n.path) > len(data) {
				t.Fatalf("%q", n.path)
			}
			return nil
		})
	})
}
