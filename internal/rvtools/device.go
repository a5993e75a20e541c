package rvtools

import (
	"cmp"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

func (x *estate) readHBA(e *endpoint, r *row) error {
	if h := e.hosts[r.text("Host")]; h != nil {
		b := new(blankHBA)
		b.Device = r.text("Device")
		fill(b, r, hbaColumns)
		e.hbas[h] = append(e.hbas[h], b)
	}
	return nil
}

func (x *estate) readPNIC(e *endpoint, r *row) error {
	if h := e.hosts[r.text("Host")]; h != nil {
		n := new(blankPNIC)
		n.Device = r.text("Network Device")
		fill(n, r, pnicColumns)
		e.pnics[h] = append(e.pnics[h], n)
	}
	return nil
}

func (x *estate) readVMK(e *endpoint, r *row) error {
	if h := e.hosts[r.text("Host")]; h != nil {
		k := new(blankVMKNIC)
		k.Device = r.text("Device")
		fill(k, r, vmkColumns)
		k.Subnet = subnet(r.text("IP Address"), r.text("Subnet mask"))
		e.vmks[h] = append(e.vmks[h], k)
		if addresses, _ := h.Addresses.Value(); r.text("IP Address") != "" {
			h.Addresses = inventory.Known(append(addresses, r.text("IP Address")))
		}
	}
	return nil
}

func (x *estate) readVSwitch(e *endpoint, r *row) error {
	if h := e.hosts[r.text("Host")]; h != nil {
		s := new(blankSwitch)
		s.Name, s.Kind, s.HostIDs = r.text("Switch"), inventory.SwitchStandard, inventory.Known([]string{h.ID})
		s.ID = s.Name
		s.Tags, s.Attributes = inventory.Absent[[]string](), inventory.Absent[map[string]string]()
		s.NIOCEnabled, s.NIOCVersion = inventory.Absent[bool](), inventory.Absent[string]()
		s.TrafficClasses = inventory.Absent[[]*inventory.TrafficClass]()
		fill(s, r, vswitchColumns)
		e.vswitches[h] = append(e.vswitches[h], s)
	}
	return nil
}

// readDVSwitch reads a distributed switch. Its column with the members does not say how many there are.
func (x *estate) readDVSwitch(e *endpoint, r *row) error {
	s := new(blankSwitch)
	s.Name, s.Kind, s.Uplinks = r.text("Name"), inventory.SwitchDistributed, inventory.Absent[[]string]()
	s.ID, s.Path = cmp.Or(r.text("Object ID"), s.Name), "…/"+s.Name
	fill(s, r, dvswitchColumns)
	members := []string{}
	for name := range strings.SplitSeq(r.text("Host members"), ",") {
		switch h := e.hosts[strings.TrimSpace(name)]; {
		case h != nil:
			members = append(members, h.ID)
		case strings.TrimSpace(name) != "":
			members = nil
		}
		if members == nil {
			break
		}
	}
	if len(members) > 0 {
		s.HostIDs = inventory.Known(members)
	}
	e.v.Switches = append(e.v.Switches, s)
	return nil
}

func (x *estate) readPaths(e *endpoint, r *row) error {
	if h := e.hosts[r.text("Host")]; h != nil {
		l := new(blankLUN)
		l.Device = r.text("Disk")
		fill(l, r, lunColumns)
		fillPaths(l, r)
		e.luns[h] = append(e.luns[h], l)
	}
	return nil
}
