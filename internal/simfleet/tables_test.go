package simfleet

import (
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
)

// The tables that tests compare with what clients see.
var (
	fleetTables     = fleetdata.Demo()
	hostTable       = fleetTables.Managed()
	standaloneTable = fleetTables.Standalone()
	vmTable         = fleetTables.VMsOf(hostTable)
)

// Disks and datastores that tests speak of.
var (
	sanDisk   = fleetTables.LUN("symmetrix").ID
	flashDisk = fleetTables.LUN("flasharray").ID
	oldDisk   = fleetTables.LUN("fastt").ID
)

const (
	storeOld    = "old01"
	storeFull   = "san02"
	storeShared = "san03"
)

// Names of switches, clusters and the like.
const (
	dvsLowlat  = "dvs-lowlat"
	dvsGeneral = "dvs-general"
	dvsArchive = "dvs-archive"
	dvsLab     = "dvs-lab"
	dvsVSAN    = "dvs-vsan"

	clusterVSAN = "vsan"
	vsanGroup   = "vSAN"
	niocV3      = "version3"
	oldAlarm    = "Host memory usage"
	twoGB       = 2048
)

const (
	high   = types.LatencySensitivitySensitivityLevelHigh
	medium = types.LatencySensitivitySensitivityLevelMedium
	normal = types.LatencySensitivitySensitivityLevelNormal
)
