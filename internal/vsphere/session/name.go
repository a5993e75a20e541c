package session

import (
	"context"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"
)

// FqdnOption is the option with the name under which a vCenter Server was installed.
const FqdnOption = "VirtualCenter.FQDN"

// Name returns the endpoint's name in output: the configured name, or a vCenter's own name, so that an alias or an address does
// not change the findings, or the URL's host.
func (s *Session) Name(ctx context.Context) string {
	setting := s.client.ServiceContent.Setting
	if s.endpoint.Name != "" || setting == nil || !s.client.IsVC() {
		return s.givenName()
	}
	res, err := methods.QueryOptions(ctx, s.call, &types.QueryOptions{This: *setting, Name: FqdnOption})
	if err != nil {
		return s.givenName() // the server does not have the option, or the user cannot read it
	}
	for _, o := range res.Returnval {
		if fqdn, ok := o.GetOptionValue().Value.(string); ok && fqdn != "" {
			return fqdn
		}
	}
	return s.givenName()
}

func (s *Session) givenName() string {
	if s.endpoint.Name != "" {
		return s.endpoint.Name
	}
	return s.endpoint.URL.Host
}
