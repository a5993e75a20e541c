package session

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// TestDamagedJSONIsRead: a forbidden character in an answer of REST costs that character.
func TestDamagedJSONIsRead(t *testing.T) {
	text := "{\n\t\"name\": \"a\x1fb\tc\\\"\xffd\\\\\", \"n\": 5}\x01"
	var got struct {
		Name string `json:"name"`
		N    int    `json:"n"`
	}
	body := &jsonBody{ReadCloser: io.NopCloser(iotest.OneByteReader(strings.NewReader(text)))}
	require.NoError(t, json.NewDecoder(body).Decode(&got))
	require.Equal(t, "a\uFFFDb\uFFFDc\"\uFFFDd\\", got.Name)
	require.Equal(t, 5, got.N)
}
