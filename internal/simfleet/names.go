package simfleet

import (
	"fmt"

	"github.com/vperf/vperf/internal/simfleet/world"
)

func uuid(name string) string { return world.UUID(name) }

func shortName(name string) string { return world.ShortName(name) }

// mac is a MAC address with the vendor's prefix, numbered by owner and device.
func mac(prefix string, owner, device int) string {
	return fmt.Sprintf("%s:%02x:%02x:%02x", prefix, owner>>8&0xff, owner&0xff, device)
}
