package textcodec_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
	"github.com/worldfs/worldfs/textcodec"
)

// stable checks what holds for every text that can be read.
func stable(t require.TestingT, text []byte, r textcodec.Result, types *entity.Types) {
	written := textcodec.Append(nil, r.Entity)
	require.Equal(t, bytes.Equal(written, text), r.Canonical, "canonical is what Append gives")
	again, err := textcodec.Decode(written, r.Entity.ID, types)
	require.NoError(t, err, "%q", written)
	require.True(t, again.Canonical, "%q", written)
	require.True(t, r.Entity.Equal(again.Entity), "%q", written)
	for _, f := range again.Findings {
		switch f.Code {
		case entity.CodeFieldUnknown, entity.CodeTypeUnknown, entity.CodeRevisionNewer, entity.CodeKeyTwice, entity.CodeFieldTwice:
		default:
			require.Fail(t, "a finding about what Append wrote", f.String())
		}
	}
}

func FuzzDecode(f *testing.F) {
	types := entity.NewTypes(every(), door())
	f.Add([]byte(published))
	for _, e := range everyEntities() {
		f.Add(textcodec.Append(nil, e))
	}
	for text := range broken {
		f.Add([]byte(text))
	}
	for _, c := range conflicted {
		f.Add([]byte(c.text))
	}
	f.Add([]byte(deletionOfBefore))
	f.Add([]byte(published + "<<<<<<< yours: shared deleted it\n=======\n>>>>>>> shared\n"))
	f.Add([]byte("Every\n9\n1\n; mystery\n    [\n    {\n    ; x\n        \"a]\"\n    }\n    ]\n; needed\n    5\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := textcodec.Decode(text, 6555, types)
		if _, _, _, headerErr := textcodec.Header(text); headerErr != nil {
			require.Error(t, err)
		}
		if err != nil {
			var broken *textcodec.Error
			require.ErrorAs(t, err, &broken)
			require.Positive(t, broken.Line)
			require.LessOrEqual(t, broken.Line, bytes.Count(text, []byte("\n"))+1)
			return
		}
		name, revision, _, err := textcodec.Header(text)
		require.NoError(t, err)
		require.Equal(t, r.Entity.Type(), name)
		require.Equal(t, r.Entity.Revision(), revision)
		if len(r.Entity.Unknown) == 0 {
			require.NoError(t, r.Entity.Validate())
		}
		stable(t, text, r, types)
	})
}
