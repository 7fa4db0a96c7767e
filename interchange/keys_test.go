package interchange

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a message suggests is a key.
func TestTheKeysThatAreSuggestedAreKeys(t *testing.T) {
	for what, keys := range map[string][]string{"type": typeKeys, "field": fieldKeys} {
		for _, key := range keys {
			field := map[string]any{"name": "a", "kind": "u8"}
			declared := map[string]any{"name": "T", "fields": []any{field}}
			object := map[string]map[string]any{"type": declared, "field": field}[what]
			if object[key] == nil {
				object[key] = nil // which is no value of most, but a key
			}
			line, err := json.Marshal(declared)
			require.NoError(t, err)
			if _, err := ParseType(line); err != nil {
				require.NotContains(t, err.Error(), "unknown key", key)
			}
		}
	}
	_, err := ParseType([]byte(`{"name":"T","fields":[{"name":"a","kind":"u8","untl":2}]}`))
	require.ErrorContains(t, err, "did you mean until?")
}
