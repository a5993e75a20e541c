package esxtop

import (
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

// Has reports whether the file leaves an object in: those of a kind without a section all stay.
func (e Entities) Has(o Object, id string) bool {
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
