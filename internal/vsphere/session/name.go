package session

import (
	"context"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"
)

// FqdnOption is where a vCenter Server keeps the name it was installed under.
const FqdnOption = "VirtualCenter.FQDN"

// Name is what output calls the endpoint: the name it was given, or the one a vCenter has for itself, so that an alias
// or an address of it makes no other findings, or the URL's host.
func (s *Session) Name(ctx context.Context) string {
	setting := s.client.ServiceContent.Setting
	if s.endpoint.Name != "" || setting == nil || !s.client.IsVC() {
		return s.givenName()
	}
	res, err := methods.QueryOptions(ctx, s.call, &types.QueryOptions{This: *setting, Name: FqdnOption})
	if err != nil {
		return s.givenName() // a server or a user without that option
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
