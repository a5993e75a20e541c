package account

import (
	"context"

	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
)

// Product is what a server says it is.
type Product struct {
	Name      string // with version and build
	Version   inventory.Fact[inventory.Version]
	IsVCenter bool
}

// ReadProduct returns what the server reported when the session was opened.
func ReadProduct(s *session.Session) Product {
	about := s.Client().ServiceContent.About
	return Product{Name: session.Plain(about.FullName), Version: tree.ParseVersion(about.Version), IsVCenter: s.Client().IsVC()}
}

// CheckREST logs in over REST and out again.
func CheckREST(ctx context.Context, s *session.Session) error {
	c, err := s.OpenREST(ctx)
	if err != nil {
		return err
	}
	s.CloseREST(ctx, c)
	return nil
}
