package simfleet

import "github.com/vperf/vperf/internal/simfleet/world"

func uuid(name string) string { return world.UUID(name) }

func shortName(name string) string { return world.ShortName(name) }
