package esxtop

// diskSorts are those of the three disk panels; the metrics of virtual disks end alike.
func diskSorts(chapter string) map[byte]string {
	return map[byte]string{'r': chapter + "reads", 'w': chapter + "writes", 'R': chapter + "readRate", 'T': chapter + "writeRate", 'N': ""}
}

var (
	ioStats    = []string{"disk.commands", "disk.reads", "disk.writes", "disk.readRate", "disk.writeRate"}
	reserves   = []string{"disk.reserves", "disk.conflicts"}
	latencies  = []string{"disk.deviceLatency", "disk.kernelLatency", "disk.guestLatency", "disk.queueLatency"}
	latencyRd  = []string{"disk.deviceReadLatency", "disk.kernelReadLatency", "disk.guestReadLatency", "disk.queueReadLatency"}
	latencyWr  = []string{"disk.deviceWriteLatency", "disk.kernelWriteLatency", "disk.guestWriteLatency", "disk.queueWriteLatency"}
	diskErrors = []string{"disk.failedCommands", "disk.failedReads", "disk.failedWrites", "disk.failedReadRate", "disk.failedWriteRate",
		"disk.failedReserves", "disk.aborts", "disk.resets"}
	paeStats   = []string{"disk.paeCommands", "disk.paeCopies"}
	splitStats = []string{"disk.splitCommands", "disk.splitCopies"}
)

var adapterPanel = &Panel{
	Key: 'd', Title: "Disk Adapter", Object: Adapter, Expand: []Object{Path},
	Fields: fields("ABCdEfGhijkl",
		titled("ADAPTR = Adapter Name", named("ADAPTR", RowGID)),
		titled("PATH = Path Name", named("PATH", RowChild)),
		titled("NPTH = Num Paths", of("disk.paths")...),
		titled("QSTATS = Queue Stats", of("disk.adapterQueueDepth")...),
		titled("IOSTATS = I/O Stats", of(ioStats...)...),
		titled("RESVSTATS = Reserve Stats", of(reserves...)...),
		titled("LATSTATS/cmd = Overall Latency Stats (ms)", of(latencies...)...),
		titled("LATSTATS/rd = Read Latency Stats (ms)", of(latencyRd...)...),
		titled("LATSTATS/wr = Write Latency Stats (ms)", of(latencyWr...)...),
		titled("ERRSTATS/s = Error Stats", of(diskErrors...)...),
		titled("PAESTATS/s = PAE Stats", of(paeStats...)...),
		titled("SPLTSTATS/s = SPLIT Stats", of(splitStats...)...),
	),
	Sorts: diskSorts("disk."),
}

var devicePanel = &Panel{
	Key: 'u', Title: "Disk Device", Object: Device, With: []Object{NFS}, Expand: []Object{DeviceWorld, Partition},
	Fields: fields("ABcdeFGhIjklmnop",
		titled("DEVICE = Device Name", named("DEVICE", RowGID)),
		titled("ID = Path/World/Partition Id", named("PATH/WORLD/PARTITION", RowChild)),
		titled("NUM = Num of Objects", labelled("NPH", "disk.paths", 0), labelled("NWD", "disk.worlds", 0), labelled("NPN", "disk.partitions", 0)),
		titled("SHARES = Shares", of("disk.shares")...),
		titled("BLKSZ = Block Size (bytes)", of("disk.blockSize", "disk.blocks")...),
		titled("QSTATS = Queue Stats", or(of("disk.queueDepth", "disk.worldQueueDepth", "disk.active", "disk.queued", "disk.usedQueue", "disk.load"),
			"", "", "nfs.active")...),
		titled("IOSTATS = I/O Stats", or(of(ioStats...), "", "nfs.reads", "nfs.writes", "nfs.readRate", "nfs.writeRate")...),
		titled("RESVSTATS = Reserve Stats", of(reserves...)...),
		titled("LATSTATS/cmd = Overall Latency Stats (ms)", of(latencies...)...),
		titled("LATSTATS/rd = Read Latency Stats (ms)", or(of(latencyRd...), "", "", "nfs.readLatency")...),
		titled("LATSTATS/wr = Write Latency Stats (ms)", or(of(latencyWr...), "", "", "nfs.writeLatency")...),
		titled("ERRSTATS/s = Error Stats", or(of(diskErrors...), "", "", "", "", "", "", "nfs.aborts")...),
		titled("PAESTATS/s = PAE Stats", of(paeStats...)...),
		titled("SPLTSTATS/s = SPLIT Stats", of(splitStats...)...),
		titled("VAAISTATS = VAAI Stats", of("vaai.cloneReads", "vaai.cloneWrites", "vaai.cloneFailed", "vaai.cloneReadRate", "vaai.cloneWriteRate",
			"vaai.ats", "vaai.atsFailed", "vaai.zeros", "vaai.zerosFailed", "vaai.zeroRate", "vaai.deletes", "vaai.deletesFailed", "vaai.deleteRate")...),
		titled("VAAILATSTATS/cmd = VAAI Latency Stats (ms)", of("vaai.cloneLatency", "vaai.cloneFailedLatency", "vaai.atsLatency",
			"vaai.atsFailedLatency", "vaai.zeroLatency", "vaai.zeroFailedLatency")...),
	),
	Sorts: diskSorts("disk."),
}

var vmDiskPanel = &Panel{
	Key: 'v', Title: "Virtual Disk", Object: DiskVM, Expand: []Object{VDisk},
	Fields: fields("aBCDEFGH",
		titled("ID = Vscsi Id", named("ID", RowID)),
		titled("GID = Vscsi Group Id", named("GID", RowGID)),
		titled("VMNAME = VM Name", named("VMNAME", RowOwner)),
		titled("VDEVNAME = Virtual Device Name", named("VDEVNAME", RowChild)),
		titled("NUM = Num of Virtual Disks", of("vdisk.disks")...),
		titled("IOSTATS = I/O Stats", of("vdisk.commands", "vdisk.reads", "vdisk.writes", "vdisk.readRate", "vdisk.writeRate")...),
		titled("LATSTATS/rd = Read Latency Stats (ms)", of("vdisk.readLatency")...),
		titled("LATSTATS/wr = Write Latency Stats (ms)", of("vdisk.writeLatency")...),
	),
	Sorts: diskSorts("vdisk."),
}
