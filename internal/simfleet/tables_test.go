package simfleet

import (
	"fmt"

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

// Disks and datastores used in tests.
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

	clusterVSAN  = "vsan"
	vsanGroup    = "vSAN"
	vmotionGroup = "vMotion"
	niocV3       = "version3"
	oldAlarm     = "Host memory usage"
	twoGB        = 2048
)

const (
	high   = types.LatencySensitivitySensitivityLevelHigh
	medium = types.LatencySensitivitySensitivityLevelMedium
	normal = types.LatencySensitivitySensitivityLevelNormal
)

// The defaults of hosts.
const (
	localDisk      = "local"
	defaultMTU     = int32(1500)
	pathFixed      = "VMW_PSP_FIXED"
	pathRecent     = "VMW_PSP_MRU"
	pathRoundRobin = "VMW_PSP_RR"
)

func nicName(i int) string { return fmt.Sprintf("vmnic%d", i) }
