package inventory

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestZeroFactIsUnread(t *testing.T) {
	var f Fact[int64]
	_, state, _ := f.Get()
	require.Equal(t, StateUnread, state)
	_, known := f.Value()
	require.False(t, known)
	require.True(t, f.IsZero())
	require.False(t, Unread[int64]("no permission").IsZero(), "a reason is worth keeping")
}

func TestFactsPrintThemselves(t *testing.T) {
	require.Equal(t, "64", Known(64).String())
	require.Equal(t, "[a b]", Known([]string{"a", "b"}).String())
	require.Equal(t, "absent", Absent[int]().String())
	require.Equal(t, "unread", new(Fact[int]).String())
	require.Equal(t, "cores: unread (no permission)", fmt.Sprintf("cores: %v", Unread[int]("no permission")))
}

func TestFactsOnTheWire(t *testing.T) {
	for wire, want := range map[string]Fact[int64]{
		`0`:                           Known(int64(0)),
		`-1`:                          Known(int64(-1)),
		`{"$absent":true}`:            Absent[int64](),
		`{"$unread":"no permission"}`: Unread[int64]("no permission"),
	} {
		t.Run(wire, func(t *testing.T) {
			b, err := json.Marshal(want)
			require.NoError(t, err)
			require.JSONEq(t, wire, string(b))
			var got Fact[int64]
			require.NoError(t, json.Unmarshal(b, &got))
			require.Equal(t, want, got)
		})
	}
}

func TestFactOfAMapIsNotMistakenForAState(t *testing.T) {
	for _, wire := range []string{`{}`, `{"a":"b"}`, `{"absent":"x"}`} {
		var f Fact[map[string]string]
		require.NoError(t, json.Unmarshal([]byte(wire), &f))
		_, known := f.Value()
		require.True(t, known, wire)
	}
}

func TestFactRefuses(t *testing.T) {
	for wire, want := range map[string]string{
		`null`:                   "null is not a fact",
		`"4"`:                    "want a whole number",
		`{"$absent":true,"x":1}`: "want a whole number",
		`4.5`:                    "4.5 is not a whole number",
	} {
		var f Fact[int64]
		require.ErrorContains(t, f.UnmarshalJSON([]byte(wire)), want, wire)
	}
}

func TestValueKeepsItsType(t *testing.T) {
	for wire, want := range map[string]Value{
		`{"type":"int","text":"4"}`:  IntValue(4),
		`{"type":"long","text":"4"}`: LongValue(4),
		`4`:                          LongValue(4),
		`true`:                       BoolValue(true),
		`"rbc"`:                      StringValue("rbc"),
		`4294967295`:                 LongValue(4294967295),
	} {
		var v Value
		require.NoError(t, json.Unmarshal([]byte(wire), &v), wire)
		require.Equal(t, want, v)
	}
	for _, wire := range []string{`{"type":"float","text":"4"}`, `4.5`, `[]`, `99999999999999999999`} {
		var v Value
		require.Error(t, json.Unmarshal([]byte(wire), &v), wire)
	}
}

func TestVersion(t *testing.T) {
	v, err := ParseVersion("7.0.3")
	require.NoError(t, err)
	require.Equal(t, "7.0.3", v.String())
	for text, want := range map[string]bool{"7": true, "7.0": true, "7.0.3": true, "7.0.4": false, "7.1": false, "8": false, "6.7": true} {
		o, err := ParseVersion(text)
		require.NoError(t, err)
		require.Equal(t, want, v.AtLeast(o), text)
	}
	for _, bad := range []string{"", "six", "7.0.3.1", "7.", "-1", "7.0 U3", "99999999"} {
		_, err := ParseVersion(bad)
		require.ErrorContains(t, err, "7.0.3", bad)
	}
}
