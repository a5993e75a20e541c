package hotspot

import (
	"strings"

	"github.com/vperf/vperf/pkg/esxtop"
)

// nameOf returns the display name of a row.
func nameOf(f *esxtop.Frame, r *esxtop.Row) string {
	switch r.Object {
	case esxtop.PCPU:
		return "PCPU " + r.ID
	case esxtop.Port:
		if r.VM {
			return r.Name + "/port " + r.ID // a VM has one for each NIC
		}
	}
	if owner := ownerOf(f, r); owner != nil {
		return owner.Name + "/" + r.Name
	}
	return strings.Clone(r.Name)
}

// ownerOf returns the row that owns a row; nil if there is none.
func ownerOf(f *esxtop.Frame, r *esxtop.Row) *esxtop.Row {
	of := r.Object.Parent()
	if rows := f.Rows(of); of != r.Object && r.Parent >= 0 && r.Parent < len(rows) {
		return &rows[r.Parent]
	}
	return nil
}

func ownerID(f *esxtop.Frame, r *esxtop.Row) string {
	if owner := ownerOf(f, r); owner != nil {
		return owner.ID
	}
	return ""
}

func moID(f *esxtop.Frame, r *esxtop.Row) string {
	if r.VM {
		return r.MoID
	}
	return f.MoID
}
