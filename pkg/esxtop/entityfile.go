package esxtop

import (
	"context"
	"fmt"
	"strings"
)

// Entities is esxtop's entity file, which users shorten to have fewer objects watched: by object the ids that stayed.
type Entities map[Object][]Entity

// Entity is a line of it.
type Entity struct {
	ID, Name string
}

// entitySections are the titles in the file.
var entitySections = map[string]Object{"SchedGroup": Group, "Adapter": Adapter, "Device": Device, "NetPort": Port, "InterruptCookie": Vector}

// ParseEntities reads an entity file. What it does not understand is left out; the error says what and where, beside all
// the rest.
func ParseEntities(text string) (Entities, error) {
	e := Entities{}
	var c complaints
	section, read := "", 0
	var object Object
	var known bool
	for n, line := range lines(text) {
		line = strings.TrimSpace(line)
		id, name, _ := strings.Cut(line, " ")
		o, title := entitySections[line]
		switch {
		case line == "":
			section = ""
		case line[0] == '#':
		case title:
			section, object, known = line, o, true
			if e[o] == nil {
				e[o] = []Entity{}
			}
		case section == "":
			section, known = line, false
			c.add(n, quoted(line)+" is no section that is known: SchedGroup, Adapter, Device, NetPort or InterruptCookie")
		case known:
			e[object] = append(e[object], Entity{ID: id, Name: strings.TrimSpace(name)})
			read++
		}
	}
	return e, c.err("reading esxtop's entity file", fmt.Sprintf("%d objects were read", read))
}

// has reports whether the file leaves an object in: those of a kind without a section all stay.
func (e Entities) has(o Object, id string) bool {
	list, listed := e[o]
	if !listed {
		return true
	}
	for _, one := range list {
		if one.ID == id {
			return true
		}
	}
	return false
}

// Only is a source that tells of what the file has left in.
func (e Entities) Only(s Source) Source {
	if sk, ok := s.(Seeker); ok {
		return someSeeker{some{sk, e}, sk}
	}
	return some{s, e}
}

// some is a part of another source.
type some struct {
	Source
	entities Entities
}

// someSeeker is a part of one that can go back.
type someSeeker struct {
	some
	seeker Seeker
}

func (s someSeeker) Seek(n int) error            { return s.seeker.Seek(n) }
func (s someSeeker) Position() (next, total int) { return s.seeker.Position() }

// Next takes out of a round what the file does not name. The round itself may be another's, who keeps it whole.
func (s some) Next(ctx context.Context) (*Round, error) {
	whole, err := s.Source.Next(ctx)
	if err != nil {
		return nil, err
	}
	part := *whole
	part.Frames = make([]*Frame, 0, len(whole.Frames))
	for _, f := range whole.Frames {
		part.Frames = append(part.Frames, s.entities.narrow(f))
	}
	return &part, nil
}

// narrow is a frame without the rows that the file does not name, and without what they own.
func (e Entities) narrow(whole *Frame) *Frame {
	f := *whole
	var places [objects][]int // where a row has gone; -1: nowhere
	for o := range objects {
		rows, parents := f.tables[o], places[o.Parent()]
		var kept []Row
		for _, r := range rows {
			place := -1
			owned := o.Parent() == o || r.Parent < 0 || parents[r.Parent] >= 0
			if owned && e.has(o, r.ID) {
				if r.Parent >= 0 {
					r.Parent = parents[r.Parent]
				}
				place, kept = len(kept), append(kept, r)
			}
			places[o] = append(places[o], place)
		}
		f.tables[o] = kept
	}
	return &f
}
