package hostfacts

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
)

// rssDriver describes the options of a driver for RSS. A number above 0 in any of them turns RSS on; drivers with a list have one
// number per port.
type rssDriver struct {
	on []string
	// off are the options in which a 0 turns RSS off, unless another option turns it on.
	off []string
	// offUnset means that RSS is off by default.
	offUnset bool
}

var rssDrivers = map[string]rssDriver{
	"nmlx4_en":   {on: []string{"num_rings_per_rss_queue"}, offUnset: true},
	"nmlx5_core": {on: []string{"RSS", "DRSS", "GEN_RSS"}, off: []string{"RSS"}},
	"i40en":      {on: []string{"RSS", "DRSS"}, off: []string{"RSS"}},
	"i40en_ens":  {on: []string{"RSS", "DRSS"}, off: []string{"RSS"}},
}

// Rss reports whether an option string turns RSS on.
func Rss(driver, text string) inventory.Fact[bool] {
	d, ok := rssDrivers[driver]
	if !ok {
		return inventory.Unread[bool]("which option of driver " + session.Plain(driver) + " turns RSS on is not known")
	}
	var known inventory.Fact[bool]
	off := d.offUnset
	args := moduleArgs(text)
	for _, key := range d.on {
		value, set := args[key]
		if !set {
			continue
		}
		on, err := anyAboveZero(value)
		switch {
		case err != nil:
			known = inventory.Unread[bool]("option " + key + " of driver " + driver + " is " + strconv.Quote(session.Plain(value)) + ", not a number")
		case on:
			return inventory.Known(true)
		}
		off = off || slices.Contains(d.off, key)
	}
	switch {
	case !known.IsZero():
		return known
	case off:
		return inventory.Known(false)
	}
	return inventory.Unread[bool]("driver " + driver + " leaves RSS to a default that is not known")
}

// moduleArgs splits "a=1 b=2,3"; if a key occurs twice, the last one applies.
func moduleArgs(text string) map[string]string {
	args := map[string]string{}
	for f := range strings.FieldsSeq(text) {
		key, value, _ := strings.Cut(f, "=")
		args[key] = value
	}
	return args
}

func anyAboveZero(list string) (bool, error) {
	for text := range strings.SplitSeq(list, ",") {
		if n, err := strconv.ParseInt(text, 0, 64); err != nil || n > 0 {
			return err == nil, err
		}
	}
	return false, nil
}
