package change

import (
	"context"
	"fmt"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/change/condition"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// Estate is the server as tuning changes it. Objects whose names match a pattern are never changed: * is any text, ? one
// character, and capitals do not count.
func Estate(s *session.Session, protected ...string) tuning.Estate {
	return newEstate(s, protected...).tuning()
}

func (s *estate) tuning() tuning.Estate {
	return tuning.Estate{Settings: &settings{s}, Power: &power{s}, Events: &events{s}}
}

// sandboxVendor is the vendor that the about information of vperf sim names, so that nobody takes it for a real vCenter.
const sandboxVendor = "vperf sim (govmomi simulator)"

// Server says which server this is: a vCenter by the UUID of its instance, a host by that of its hardware, since hosts
// have no other that lasts.
func Server(ctx context.Context, s *session.Session) (tuning.Server, error) {
	about := s.Client().ServiceContent.About
	server := tuning.Server{
		Name: s.Name(ctx), UUID: about.InstanceUuid, Address: s.Host(),
		Product: about.FullName, Sandbox: about.Vendor == sandboxVendor,
	}
	if s.Client().IsVC() {
		return server, nil
	}
	r := property.NewReader(s)
	r.Sees = []string{property.TypeHost}
	defer r.CloseView(ctx)
	q := &property.Query{What: "the host's identity", Paths: []types.PropertySpec{{Type: property.TypeHost, PathSet: []string{condition.PathHostUUID}}}, Page: property.PageOfIndex}
	found := inventory.Unread[string]("the server shows no host")
	if err := r.Collect(ctx, q, func(p *property.Props) {
		found = property.Read(p, condition.PathHostUUID, property.Text, property.Must)
	}); err != nil {
		return server, err
	}
	uuid, _, reason := found.Get()
	if uuid == "" {
		return server, fmt.Errorf("reading the identity of %s: %s", s.Host(), reason)
	}
	server.UUID = uuid
	return server, nil
}
