package esxtop

// Panel is a screen of esxtop: c is CPU.
type Panel struct {
	Key    byte
	Title  string
	Object Object   // whose rows it shows
	Expand []Object // rows below those, when one is expanded
	Fields []Field  // in esxtop's order; a field's letter is its place
	Sorts  map[byte]string
}

// Field is what f turns on and off in a panel: one column or a few.
type Field struct {
	Letter  byte
	Title   string
	Columns []Column
	Default bool // shown unless the user says otherwise
}

// Column is a metric on the screen, or what tells rows apart. A metric of a child object makes a column of each child:
// GST_ND0 and GST_ND1, %C0 and %C1.
type Column struct {
	Label     string
	Metric    *Metric // nil: the attribute is shown
	Attribute Attribute
}

// Attribute is what a row is called, rather than what was measured of it.
type Attribute int

// Attributes of rows.
const (
	NoAttribute Attribute = iota
	RowID                 // of the row itself: ID, PORT-ID, a device's name
	RowGID                // of the group that the row belongs to
	RowLeader             // LWID
	RowName               // NAME
	RowHost               // the host, where several are shown
)
