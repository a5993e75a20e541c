package change

import (
	"context"
	"fmt"

	"github.com/vmware/govmomi/cli/esx"

	"github.com/vperf/vperf/internal/vsphere/perhost"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// lunWriter sets the number of outstanding I/Os per VM for a disk with competing VMs (DSNRO). Only the host's command line has
// it.
var lunWriter = &singleReadWriter[inventory.Fact[[]esx.Values]]{
	readAll: deviceRows,
	value: func(rows inventory.Fact[[]esx.Values], a tuning.Address) valueFact {
		return outstandingIOs(deviceRow(rows, a))
	},
	absentMeans: "the host does not report this limit of the disk",
	refuse: func(rows inventory.Fact[[]esx.Values], a tuning.Address, v inventory.Value) string {
		return refuseOutstanding(deviceRow(rows, a), v)
	},
	send: sendOutstandingIOs,
}

const (
	cliSetDevice    = "storage core device set"
	columnOutIOs    = "No of outstanding IOs with competing worlds"
	mostOutstanding = 256 // ESXi takes 1 to 256
)

func sendOutstandingIOs(ctx context.Context, s *estate, t tuning.Target, all []tuning.Assignment) error {
	v, err := single(all)
	if err != nil {
		return err
	}
	if v, err = convertType(v, inventory.TypeLong); err != nil {
		return err
	}
	cli := s.line(t)
	cli.Lock()
	defer cli.Unlock()
	err = cli.Change(ctx, cliSetDevice, perhost.Flag{Name: "-d", Value: all[0].Device}, perhost.Flag{Name: "-O", Value: v.Text})
	if err != nil {
		s.forget(t)
	}
	return err
}

// deviceRows reads all disks in one call.
func deviceRows(ctx context.Context, s *estate, t tuning.Target) (inventory.Fact[[]esx.Values], error) {
	cli := s.line(t)
	cli.Lock()
	defer cli.Unlock()
	rows := cli.Run(ctx, perhost.CLIDevices)
	if _, ok := rows.Value(); !ok {
		s.forget(t)
	}
	if ctx.Err() != nil {
		return rows, s.Interrupted(ctx, "ExecuteSoap")
	}
	return rows, nil
}

func deviceRow(rows inventory.Fact[[]esx.Values], a tuning.Address) inventory.Fact[esx.Values] {
	return property.Then(rows, perhost.RowOf(a.Device, "Device"))
}

func outstandingIOs(row inventory.Fact[esx.Values]) valueFact {
	return property.Then(perhost.NumberCell(row, columnOutIOs), func(n int64) valueFact { return inventory.Known(inventory.LongValue(n)) })
}

// refuseOutstanding returns why a disk does not accept the number.
func refuseOutstanding(row inventory.Fact[esx.Values], v inventory.Value) string {
	n, _ := v.Int()
	if n < 1 || n > mostOutstanding {
		return fmt.Sprintf("a host accepts 1 to %d, not %d", mostOutstanding, n)
	}
	if depth, known := perhost.NumberCell(row, "Device Max Queue Depth").Value(); known && n > depth {
		return fmt.Sprintf("%d is more than the disk's queue depth of %d", n, depth)
	}
	return ""
}
