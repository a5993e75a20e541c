package esxcli

import (
	"slices"
	"strconv"

	cli "github.com/vmware/govmomi/cli/esx"
	"github.com/vmware/govmomi/vim25/types"
)

// cliNICStats returns a NIC's counters since the host started.
func (e cliHost) cliNICStats(args map[string]string) ([]cli.Values, bool) {
	at := slices.IndexFunc(e.System.Config.Network.Pnic, func(n types.PhysicalNic) bool { return n.Device == args["nicname"] })
	if at < 0 {
		return nil, false
	}
	t, _, _ := e.loads.Counted(e.System.Self.Value, e.Now())
	if t == nil {
		return nil, false
	}
	n := func(v int64) string { return strconv.FormatInt(v, 10) }
	c, lost := t.PNICs[at], n(t.Lost[at])
	return one(values("NICName", args["nicname"],
		"Packetsreceived", n(c.RxPackets), "Packetssent", n(c.TxPackets), "Bytesreceived", n(c.RxBytes), "Bytessent", n(c.TxBytes),
		"Receivepacketsdropped", lost, "Transmitpacketsdropped", n(c.DroppedTx),
		"Multicastpacketsreceived", n(c.RxMulticast), "Broadcastpacketsreceived", n(c.RxBroadcast),
		"Multicastpacketstransmitted", n(c.TxMulticast), "Broadcastpacketstransmitted", n(c.TxBroadcast),
		"Totalreceiveerrors", lost, "Receivelengtherrors", "0", "Receiveovererrors", "0", "ReceiveCRCerrors", "0", "Receiveframeerrors", "0",
		"ReceiveFIFOerrors", "0", "Receivemissederrors", lost,
		"Totaltransmiterrors", "0", "Transmitabortederrors", "0", "Transmitcarriererrors", "0", "TransmitFIFOerrors", "0",
		"Transmitheartbeaterrors", "0", "Transmitwindowerrors", "0"))
}
