package mark

import (
	"fmt"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// complaint is an invalid mark, and the objects that carry it.
type complaint struct {
	text string
	of   []inventory.Ref
	seen map[inventory.Ref]bool
}

// Complaints stores each mistake once, however many objects carry it: VMs inherit marks from templates.
type Complaints struct {
	list []*complaint
	by   map[string]*complaint
}

// Add adds a mistake on an object.
func (c *Complaints) Add(text string, o inventory.Object) { c.add(text, o.Ref()) }

func (c *Complaints) add(text string, r inventory.Ref) {
	x := c.by[text]
	if x == nil {
		x = &complaint{text: text, seen: map[inventory.Ref]bool{}}
		c.list = append(c.list, x)
		if c.by == nil {
			c.by = map[string]*complaint{}
		}
		c.by[text] = x
	}
	if !x.seen[r] {
		x.seen[r] = true
		x.of = append(x.of, r)
	}
}

// Join adds the mistakes of another list after those of this one; nil has none.
func (c *Complaints) Join(other *Complaints) {
	if other == nil {
		return
	}
	for _, x := range other.list {
		for _, r := range x.of {
			c.add(x.text, r)
		}
	}
}

// Warnings returns the mistakes with the first few objects that carry them.
func (c *Complaints) Warnings() []string {
	var all []string
	for _, x := range c.list {
		all = append(all, fmt.Sprintf("%s (on %s)", x.text, SomeOf(x.of)))
	}
	return all
}

// SomeOf names the first few objects.
func SomeOf(objects []inventory.Ref) string {
	const few = 3
	var names []string
	for _, o := range objects[:min(few, len(objects))] {
		names = append(names, string(o.Kind)+" "+o.Name)
	}
	s := strings.Join(names, ", ")
	if more := len(objects) - len(names); more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}
