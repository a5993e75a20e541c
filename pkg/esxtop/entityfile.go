package esxtop

import (
	"context"
	"fmt"
	"strings"
)

// Entities is esxtop's entity file, which users shorten to watch fewer objects: it maps an object to the remaining ids.
type Entities map[Object][]Entity

// Entity is a line of the file.
type Entity struct {
	ID, Name string
}

// entitySections are the titles in the file.
var entitySections = map[string]Object{"SchedGroup": Group, "Adapter": Adapter, "Device": Device, "NetPort": Port, "InterruptCookie": Vector}

// ParseEntities parses an entity file. It skips lines that it does not understand, and returns an error about them
// together with the rest.
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

// has reports whether the file keeps an object: kinds without a section are all kept.
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

// Only returns a source with the objects that the file keeps.
func (e Entities) Only(s Source) Source {
	if sk, ok := s.(Seeker); ok {
		return filteredSeeker{filtered{sk, e}, sk}
	}
	return filtered{s, e}
}

// filtered is a filtered source.
type filtered struct {
	Source
	entities Entities
}

// filteredSeeker is a filtered source that can seek.
type filteredSeeker struct {
	filtered
	seeker Seeker
}

func (s filteredSeeker) Seek(n int) error            { return s.seeker.Seek(n) }
func (s filteredSeeker) Position() (next, total int) { return s.seeker.Position() }

// Next removes objects that are not in the file from a round. It does not change the original round.
func (s filtered) Next(ctx context.Context) (*Round, error) {
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

// narrow returns a frame without the rows that are not in the file, and without the rows they own.
func (e Entities) narrow(whole *Frame) *Frame {
	f := *whole
	var places [objects][]int // the new position of a row; -1: removed
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
