package esxtop

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRow(t *testing.T) {
	r := NewRow(World, "7", "vmx")
	ready, units, affinity := Lookup("cpu.ready"), Lookup("cpu.allocUnits"), Lookup("cpu.affinity")
	_, ok := r.Value(ready)
	require.False(t, ok)
	_, ok = r.Text(units)
	require.False(t, ok)

	r.Set(ready, 8)
	r.SetText(affinity, "0-1")
	r.SetText(units, "mhz")
	r.SetText(units, "pct")
	v, ok := r.Value(ready)
	require.True(t, ok)
	require.InDelta(t, 8, v, 0)
	s, ok := r.Text(units)
	require.True(t, ok)
	require.Equal(t, "pct", s)
	s, _ = r.Text(affinity)
	require.Equal(t, "0-1", s)

	_, ok = r.Value(units) // a text is no number, nor the other way round
	require.False(t, ok)
	_, ok = r.Text(ready)
	require.False(t, ok)
	r.Set(units, 3)
	r.SetText(ready, "much")
	s, _ = r.Text(units)
	require.Equal(t, "pct", s)

	r.Set(ready, math.NaN())
	_, ok = r.Value(ready)
	require.False(t, ok)

	r.Set(Lookup("pcpu.used"), 1) // worlds have none
	r.SetText(Lookup("int.devices"), "x")
	_, ok = r.Value(Lookup("pcpu.used"))
	require.False(t, ok)
	_, ok = r.Text(Lookup("int.devices"))
	require.False(t, ok)
}

func TestFrame(t *testing.T) {
	var f Frame
	require.False(t, f.Has(Host))
	_, ok := f.Of(Lookup("host.load1"))
	require.False(t, ok)
	host := NewRow(Host, "", "")
	host.Set(Lookup("host.load1"), 0.5)
	f.Put(Host, []Row{host})
	f.Put(NFS, nil)
	v, ok := f.Of(Lookup("host.load1"))
	require.True(t, ok)
	require.InDelta(t, 0.5, v, 0)
	require.True(t, f.Has(NFS), "a host without NFS has an empty table of it")
	require.False(t, f.Has(Dom))
}
