package simfleet

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// uuid is a UUID that depends on a name alone, so that every start gives the same.
func uuid(name string) string {
	h := sha256.Sum256([]byte("vperf demo fleet " + name))
	h[6] = h[6]&0x0f | 0x50
	h[8] = h[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", h[0:4], h[4:6], h[6:8], h[8:10], h[10:16])
}

// mac is a MAC address with the vendor's prefix, numbered by owner and device.
func mac(prefix string, owner, device int) string {
	return fmt.Sprintf("%s:%02x:%02x:%02x", prefix, owner>>8&0xff, owner&0xff, device)
}

// shortName is a name without its domain.
func shortName(name string) string {
	short, _, _ := strings.Cut(name, ".")
	return short
}
