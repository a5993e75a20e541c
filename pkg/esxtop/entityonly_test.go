package esxtop

import (
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// listed is a source of some rounds.
type listed struct {
	Source
	rounds []*Round
}

func (l *listed) Next(context.Context) (*Round, error) {
	if len(l.rounds) == 0 {
		return nil, io.EOF
	}
	first := l.rounds[0]
	l.rounds = l.rounds[1:]
	return first, nil
}

func TestOnlyWhatAnEntityFileNames(t *testing.T) {
	world := func(id string, parent int) Row {
		r := NewRow(World, id, id)
		r.Parent = parent
		return r
	}
	f := new(Frame)
	f.Put(Group, []Row{NewRow(Group, "1", "idle"), NewRow(Group, "7", "web"), NewRow(Group, "9", "db")})
	f.Put(World, []Row{world("10", 0), world("70", 1), world("71", 1), world("90", 2)})
	f.Put(Device, []Row{NewRow(Device, "naa.1", "naa.1")})
	e, err := ParseEntities("SchedGroup\n9 db\n7 web\n")
	require.NoError(t, err)

	s := e.Only(&listed{rounds: []*Round{{Frames: []*Frame{f}}}})
	round, err := s.Next(t.Context())
	require.NoError(t, err)
	got := round.Frames[0]
	require.Len(t, got.Rows(Group), 2)
	require.Equal(t, "web", got.Rows(Group)[0].Name)
	var worlds []string
	for _, w := range got.Rows(World) {
		worlds = append(worlds, w.ID+" of "+got.Rows(Group)[w.Parent].Name)
	}
	require.Equal(t, []string{"70 of web", "71 of web", "90 of db"}, worlds)
	require.Len(t, f.Rows(Group), 3, "the frame may be kept by somebody else")
	require.Len(t, got.Rows(Device), 1, "a kind without a section stays")
	_, seeks := s.(Seeker)
	require.False(t, seeks)
	_, err = s.Next(t.Context())
	require.ErrorIs(t, err, io.EOF)
}
