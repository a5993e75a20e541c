package wire

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/methods"
)

// TestListsTakeTheMemoryOfTheLastOne: objects of a page are alike, and a long list does not make all later ones long.
func TestListsTakeTheMemoryOfTheLastOne(t *testing.T) {
	object := func(properties int) string {
		return `<objects><obj type="VirtualMachine">vm-1</obj>` + strings.Repeat(`<propSet><name>a</name><val xsi:type="xsd:int">1</val></propSet>`, properties) + `</objects>`
	}
	text := head + from + object(100) + object(100) + object(1) + object(1) + "</returnval></RetrievePropertiesExResponse>" + foot
	got := new(methods.RetrievePropertiesExBody)
	require.NoError(t, Page([]byte(text), got))
	var room []int
	for _, o := range got.Res.Returnval.Objects {
		room = append(room, cap(o.PropSet))
	}
	require.Len(t, room, 4)
	require.Greater(t, room[0], 110, "it grew")
	require.Less(t, room[1], 110)
	require.GreaterOrEqual(t, room[2], 100, "it was expected to be as long")
	require.Equal(t, 1, room[3])
}

// TestARememberedLengthIsUsedOnce: lists that begin inside one another would each get the memory of a long one before them.
func TestARememberedLengthIsUsedOnce(t *testing.T) {
	d, lists := &decoder{lengths: []int{1000}}, &plan{}
	require.Equal(t, 1000, d.elements(lists, 0))
	require.Equal(t, 1, d.elements(lists, 0))
	require.Equal(t, 1, d.elements(&plan{id: 1}, 0), "of a type that has not been seen")
}
