package mount

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/worldfs/worldfs/entity"
)

func TestStatusFoldsUnknownFields(t *testing.T) {
	unknown := func(id entity.ID, typ, field string) entity.Finding {
		return entity.Finding{Code: entity.CodeFieldUnknown, ID: id, Type: typ, Field: field, Message: "not declared"}
	}
	broken := entity.Finding{Code: entity.CodeBroken, ID: 3, Type: "Door", Message: "line 2"}
	in := []entity.Finding{
		unknown(1, "Door", "mood"), broken, unknown(2, "Door", "mood"), unknown(4, "Lamp", "mood"),
		unknown(5, "Door", "mood"), unknown(5, "Door", "smell"),
	}
	got := foldFields(in)
	require.Len(t, got, 4)
	require.Equal(t, entity.ID(1), got[0].ID)
	require.Contains(t, got[0].Message, "2 more of Door")
	require.Equal(t, broken, got[1])
	require.Equal(t, in[3], got[2])
	require.Equal(t, in[5], got[3])
	require.Equal(t, "not declared", in[0].Message)
}
