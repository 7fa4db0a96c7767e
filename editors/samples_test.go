package editors

import (
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/entity/entitytest"
	"github.com/worldfs/worldfs/interchange"
	"github.com/worldfs/worldfs/internal/dev/realworld"
	"github.com/worldfs/worldfs/textcodec"
)

// eachKind checks the samples of each kind.
func eachKind(t *testing.T, check func(*testing.T, []sample)) {
	t.Run("written", func(t *testing.T) { check(t, written(t)) })
	t.Run("random", func(t *testing.T) { check(t, random(t)) })
	t.Run("real", func(t *testing.T) { check(t, real(t)) })
}

// maxSample is how long a text may be: longer ones have more lines, but no others.
const maxSample = 16 << 10

// real returns texts of the real worlds: of each the first entity of some of its types.
func real(t *testing.T) (samples []sample) {
	const each = 30
	for _, path := range realworld.Worlds(t) {
		name := strings.TrimSuffix(filepath.Base(path), ".jsonl.gz")
		first := firstOfTypes(readWorld(t, path))
		for i := 0; i < len(first); i += len(first)/each + 1 {
			samples = append(samples, annotated(t, fmt.Sprintf("%s-%d", name, first[i].ID), first[i]))
		}
	}
	require.Greater(t, len(samples), 60)
	return samples
}

func readWorld(t *testing.T, path string) []*entity.Entity {
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	require.NoError(t, err)
	document, err := interchange.Read(unpacked, path, nil, nil)
	require.NoError(t, err)
	return document.Entities
}

func firstOfTypes(entities []*entity.Entity) (first []*entity.Entity) {
	seen := make(map[string]bool)
	for _, e := range entities {
		if !seen[e.Type()] && len(textcodec.Append(nil, e)) <= maxSample {
			seen[e.Type()] = true
			first = append(first, e)
		}
	}
	return first
}

// random returns texts of entities of every kind, with strange names, always the same.
func random(t *testing.T) (samples []sample) {
	for seed := range 30 {
		for e := range entitytest.World().Example(seed).All() {
			e.Unknown = nil // what is unknown can be anything
			samples = append(samples, annotated(t, fmt.Sprintf("random-%d-%d", seed, e.ID), e))
			break
		}
	}
	return samples
}

// written returns what people and version control write, and worldfs only reads.
func written(t *testing.T) []sample {
	return []sample{
		by(t, "values",
			"Door", is{"Door", aType}, "72", is{"72", aRevision}, "6555", is{"6555", anID},
			"; position", is{";", aMark}, is{"position", aField},
			"    46.5", is{"46.5", aFloat},
			"\t-.5e-3 : 0x42386A04  ", is{"-.5e-3", aFloat}, is{":", aColon}, is{"0x42386A04", theBits},
			"12:41400000", is{"12", aFloat}, is{":", aColon}, is{"41400000", theBits},
			"    1e5", is{"1e5", aFloat},
			"    -Infinity", is{"-Infinity", aFloat},
			"    +7", is{"+7", anInteger},
			`;  "odd name"  `, is{";", aMark}, is{`"odd name"`, aField},
			`    "a \"b\" \q \x4g \101"`, is{`"a `, aString}, is{`\"`, anEscape}, is{"b", aString}, is{`\"`, anEscape}, is{" ", aString},
			is{`\q`, aBadEscape}, is{" ", aString}, is{`\x`, aBadEscape}, is{"4g ", aString}, is{`\101`, anEscape}, is{`"`, aString},
			`    "never closed`, is{`"never closed`, aBadString},
			`    "closed too" early`, is{`"closed too" early`, aBadString},
			"    half open", is{"half open", aWord},
			"    null", is{"null", aConstant},
			"    #63", is{"#63", aBit},
			"    123E4567-E89B-12D3-A456-426614174000", is{"123E4567-E89B-12D3-A456-426614174000", aGUID},
			"    = 2*sin(pi/4)", is{"=", anOperator}, is{"2", aNumber}, is{"sin", aFunction}, is{"4", aNumber},
			"",
			"; kept", is{";", aMark}, is{"kept", aField},
			"  any line: at all; here", is{"any line: at all; here", aWord},
			"    1 2 3", is{"1 2 3", aWord},
			"    12abc", is{"12abc", aWord},
			"    <<<<<<< indented is no marker", is{"<<<<<<< indented is no marker", aWord},
			"<<<<<<<<", is{"<<<<<<<<", aWord},
		),
		by(t, "conflicts",
			"Door", is{"Door", aType},
			"<<<<<<< HEAD", is{"<<<<<<< HEAD", aConflict},
			"72", is{"72", aRevision},
			">>>>>>> theirs", is{">>>>>>> theirs", aConflict},
			"6555", is{"6555", anID},
			"; lit", is{";", aMark}, is{"lit", aField},
			"<<<<<<<", is{"<<<<<<<", aConflict},
			"    true", is{"true", aConstant},
			"||||||| 1234abc", is{"||||||| 1234abc", aConflict},
			"    1.000000 : 3f800000", is{"1.000000", aFloat}, is{":", aColon}, is{"3f800000", theBits},
			"=======", is{"=======", aConflict},
			"    false", is{"false", aConstant},
			">>>>>>> .r12", is{">>>>>>> .r12", aConflict},
		),
		by(t, "quoted-type",
			`" Door\n"`, is{`" Door\n"`, aType}, "0", is{"0", aRevision}, "1", is{"1", anID},
			"; n", is{";", aMark}, is{"n", aField}, "    0", is{"0", anInteger},
		),
	}
}

// texts writes samples as files, and returns their paths.
func texts(t *testing.T, samples []sample, suffix string, form func(sample) string) (paths []string) {
	dir := t.TempDir()
	for _, s := range samples {
		path := filepath.Join(dir, s.name+suffix)
		require.NoError(t, os.WriteFile(path, []byte(form(s)), 0o644))
		paths = append(paths, path)
	}
	return paths
}

// know has go test, which keeps results, know of the files that another program reads.
func know(t *testing.T, patterns ...string) {
	for _, pattern := range patterns {
		paths, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, paths, pattern)
		for _, path := range paths {
			_, err := os.ReadFile(path)
			require.NoError(t, err)
		}
	}
}
