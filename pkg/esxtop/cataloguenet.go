package esxtop

var ofPort = []Object{Port}

// netMetrics are those of ports. What an uplink's NIC has stands on the uplink's port.
var netMetrics = []Metric{
	{ID: "net.uplink", Objects: ofPort, Column: "UPLINK", Unit: Number, Kind: Flag, Formula: gauge(1, "IsUplink")},
	{ID: "net.linkUp", Objects: ofPort, Column: "UP", Counter: "Link Up?", Unit: Number, Kind: Flag, Formula: gauge(1, "PNIC.IsLinkUp").told("PNIC.IsLinkUp of the NIC whose UplinkPort it is")},
	{ID: "net.linkSpeed", Objects: ofPort, Column: "SPEED", Counter: "Link Speed (Mb/s)", Unit: LinkMbps, Kind: Gauge, Formula: gauge(1, "PNIC.SpeedInMbps").told("PNIC.SpeedInMbps of the NIC whose UplinkPort it is")},
	{ID: "net.fullDuplex", Objects: ofPort, Column: "FDUPLX", Counter: "Full Duplex?", Unit: Number, Kind: Flag, Formula: gauge(1, "PNIC.IsFullDuplex").told("PNIC.IsFullDuplex of the NIC whose UplinkPort it is")},
	{ID: "net.usedBy", Objects: ofPort, Column: "USED-BY", Unit: Words, Kind: Text, Formula: own("ClientName, after WorldLeader: where a VM has the port", "ClientName")},
	{ID: "net.team", Objects: ofPort, Column: "TEAM-PNIC", Unit: Words, Kind: Text, Formula: text("TeamUplink")},
	{ID: "net.portset", Objects: ofPort, Column: "DNAME", Unit: Words, Kind: Text, Formula: own("NetPortset.PortsetName of the row before")},
	{ID: "net.packetsTx", Objects: ofPort, Column: "PKTTX/s", Counter: "Packets Transmitted/sec", Unit: PerSecond, Kind: Rate, Formula: rate(1, "NumOfSendPackets"), Perf: perf("net.packetsTx.summation", PerInterval)},
	{ID: "net.rateTx", Objects: ofPort, Column: "MbTX/s", Counter: "MBits Transmitted/sec", Unit: Mbps, Kind: Rate, Formula: rate(fromBits, "NumOfSendBytes"), Perf: perf("net.bytesTx.average", KBpsToMbps)},
	{ID: "net.sizeTx", Objects: ofPort, Column: "PSZTX", Counter: "Average Packet Size  Transmitted (Bytes)", Unit: Bytes, Kind: Mean, per: "net.packetsTx", Formula: reckoned(packetSize, "net.rateTx", "net.packetsTx").told("Δ NumOfSendBytes / Δ NumOfSendPackets, without decimals")},
	{ID: "net.packetsRx", Objects: ofPort, Column: "PKTRX/s", Counter: "Packets Received/sec", Unit: PerSecond, Kind: Rate, Formula: rate(1, "NumOfRecvPackets"), Perf: perf("net.packetsRx.summation", PerInterval)},
	{ID: "net.rateRx", Objects: ofPort, Column: "MbRX/s", Counter: "MBits Received/sec", Unit: Mbps, Kind: Rate, Formula: rate(fromBits, "NumOfRecvBytes"), Perf: perf("net.bytesRx.average", KBpsToMbps)},
	{ID: "net.sizeRx", Objects: ofPort, Column: "PSZRX", Counter: "Average Packet Size  Received (Bytes)", Unit: Bytes, Kind: Mean, per: "net.packetsRx", Formula: reckoned(packetSize, "net.rateRx", "net.packetsRx").told("Δ NumOfRecvBytes / Δ NumOfRecvPackets, without decimals")},
	{ID: "net.droppedTx", Objects: ofPort, Column: "%DRPTX", Counter: "% Outbound Packets Dropped", Unit: Percent, Kind: Mean, per: "net.packetsTx", Formula: reckoned(partLost, "net.droppedTxRate", "net.packetsTx").told("Δ NumOfDroppedSend / Δ (NumOfSendPackets + NumOfDroppedSend) × 100")},
	{ID: "net.droppedRx", Objects: ofPort, Column: "%DRPRX", Counter: "% Received Packets Dropped", Unit: Percent, Kind: Mean, per: "net.packetsRx", Formula: reckoned(partLost, "net.droppedRxRate", "net.packetsRx").told("Δ NumOfDroppedRecv / Δ (NumOfRecvPackets + NumOfDroppedRecv) × 100")},
	{ID: "net.droppedTxRate", Objects: ofPort, Unit: PerSecond, Kind: Rate, Formula: rate(1, "NumOfDroppedSend"), Perf: perf("net.droppedTx.summation", PerInterval)},
	{ID: "net.droppedRxRate", Objects: ofPort, Unit: PerSecond, Kind: Rate, Formula: rate(1, "NumOfDroppedRecv"), Perf: perf("net.droppedRx.summation", PerInterval)},
	{ID: "net.actions", Objects: ofPort, Column: "ACTN/s", Counter: "Actions Posted/sec", Unit: PerSecond, Kind: Rate, Formula: rate(1, "NumOfActions")},
	{ID: "net.multicastTx", Objects: ofPort, Column: "PKTTXMUL/s", Counter: "Multicast Packets Transmitted/sec", Unit: PerSecond, Kind: Rate, Formula: rate(1, "PktsTxMulticast"), Perf: perf("net.multicastTx.summation", PerInterval)},
	{ID: "net.multicastRx", Objects: ofPort, Column: "PKTRXMUL/s", Counter: "Multicast Packets Received/sec", Unit: PerSecond, Kind: Rate, Formula: rate(1, "PktsRxMulticast"), Perf: perf("net.multicastRx.summation", PerInterval)},
	{ID: "net.broadcastTx", Objects: ofPort, Column: "PKTTXBRD/s", Counter: "Broadcast Packets Transmitted/sec", Unit: PerSecond, Kind: Rate, Formula: rate(1, "PktsTxBroadcast"), Perf: perf("net.broadcastTx.summation", PerInterval)},
	{ID: "net.broadcastRx", Objects: ofPort, Column: "PKTRXBRD/s", Counter: "Broadcast Packets Received/sec", Unit: PerSecond, Kind: Rate, Formula: rate(1, "PktsRxBroadcast"), Perf: perf("net.broadcastRx.summation", PerInterval)},
	{ID: "net.errorsTx", Objects: ofPort, Unit: PerSecond, Kind: Rate, Formula: notThere(), Perf: perf("net.errorsTx.summation", PerInterval)},
	{ID: "net.errorsRx", Objects: ofPort, Unit: PerSecond, Kind: Rate, Formula: notThere(), Perf: perf("net.errorsRx.summation", PerInterval)},
}

// linkFigures are those of a port that are its physical NIC's.
var linkFigures = []*Metric{Lookup("net.linkUp"), Lookup("net.linkSpeed"), Lookup("net.fullDuplex")}
