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

// Estate returns the server behind a session as a tuning.Estate. Objects whose names match a protected pattern are never changed:
// * matches any text and ? one character; case is ignored.
func Estate(s *session.Session, protected ...string) tuning.Estate {
	return newEstate(s, protected...).tuning()
}

func (s *estate) tuning() tuning.Estate {
	return tuning.Estate{Settings: &settings{s}, Power: &power{s}, Events: &events{s}}
}

// Server identifies the server: a vCenter by its instance UUID, a host by its hardware UUID, because hosts have no other lasting
// id.
func Server(ctx context.Context, s *session.Session) (tuning.Server, error) {
	about := s.Client().ServiceContent.About
	server := tuning.Server{
		Name: s.Name(ctx), UUID: about.InstanceUuid, Address: s.Host(),
		Product: about.FullName, Sandbox: s.Simulated(),
	}
	if s.Client().IsVC() {
		return server, nil
	}
	r := property.NewReader(s)
	r.ViewTypes = []string{property.TypeHost}
	defer r.CloseView(ctx)
	q := &property.Query{What: "the host's identity", Paths: []types.PropertySpec{{Type: property.TypeHost, PathSet: []string{condition.PathHostUUID}}}, Page: property.PageOfIndex}
	found := inventory.Unread[string]("the server has no host")
	if err := r.Collect(ctx, q, func(p *property.Props) {
		found = property.Read(p, condition.PathHostUUID, property.Text, property.Required)
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
