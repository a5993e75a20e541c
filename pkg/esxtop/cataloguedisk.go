package esxtop

var (
	ofIO     = []Object{Adapter, Path, Device, DeviceWorld, Partition} // all that commands go through
	ofQueues = []Object{Device, DeviceWorld}
	ofErrors = []Object{Adapter, Path, Device, DeviceWorld}
	ofSplits = []Object{Adapter, Path}
	ofDevice = []Object{Device}
	ofNFS    = []Object{NFS}
	ofVDisks = []Object{DiskVM, VDisk}
)

// diskMetrics are those of what lies between the VMkernel and the disks. An adapter has the sum over its paths.
var diskMetrics = []Metric{
	{ID: "disk.adapterQueueDepth", Objects: []Object{Adapter}, Column: "AQLEN", Counter: "Adapter Q Depth", Unit: Number, Kind: Gauge, Formula: gauge(1, "Adapter.QueueDepth"), Perf: perf("storageAdapter.queueDepth.average", AsIs)},
	{ID: "disk.shares", Objects: []Object{DeviceWorld}, Column: "SHARES", Counter: "Shares", Unit: Number, Kind: Gauge, Formula: gauge(1, "Shares")},
	{ID: "disk.blockSize", Objects: ofDevice, Column: "BLKSZ", Unit: Bytes, Kind: Gauge, Formula: gauge(1, "BlockSizeInBytes")},
	{ID: "disk.blocks", Objects: ofDevice, Column: "NUMBLKS", Unit: Number, Kind: Gauge, Formula: gauge(1, "NumOfBlocks")},
	{ID: "disk.paths", Objects: []Object{Adapter, Device}, Column: "NPTH", Unit: Number, Kind: Gauge, Formula: own("Path rows of it")},
	{ID: "disk.worlds", Objects: ofDevice, Column: "NWD", Unit: Number, Kind: Gauge, Formula: gauge(1, "NumOfWorlds")},
	{ID: "disk.partitions", Objects: ofDevice, Column: "NPN", Unit: Number, Kind: Gauge, Formula: gauge(1, "NumOfPartitions")},

	{ID: "disk.queueDepth", Objects: ofQueues, Column: "DQLEN", Counter: "Device Q Depth", Unit: Number, Kind: Gauge, Formula: gauge(1, "QueueDepth", "SCSIDevice.QueueDepth"), Perf: perf("disk.maxQueueDepth.average", AsIs, Device)},
	{ID: "disk.worldQueueDepth", Objects: ofQueues, Column: "WQLEN", Counter: "World Q Depth", Unit: Number, Kind: Gauge, Formula: notThere()},
	{ID: "disk.active", Objects: ofQueues, Column: "ACTV", Counter: "Active Commands", Unit: Number, Kind: Gauge, Formula: gauge(1, "NumOfActiveCommands", "NumOfActiveCmds")},
	{ID: "disk.queued", Objects: ofQueues, Column: "QUED", Counter: "Queued Commands", Unit: Number, Kind: Gauge, Formula: gauge(1, "NumOfQueuedCommands", "NumOfQueuedCmds")},
	{ID: "disk.usedQueue", Objects: ofQueues, Column: "%USD", Counter: "% Used", Unit: Percent, Kind: Gauge, Formula: reckoned(wholePercent, "disk.active", "disk.queueDepth").told("disk.active / disk.queueDepth × 100, without decimals")},
	{ID: "disk.load", Objects: ofQueues, Column: "LOAD", Counter: "Load", Unit: Ratio, Kind: Gauge, Formula: reckoned(queueLoad, "disk.active", "disk.queued", "disk.queueDepth").told("(disk.active + disk.queued) / disk.queueDepth")},

	{ID: "disk.commands", Objects: ofIO, Column: "CMDS/s", Counter: "Commands/sec", Unit: PerSecond, Kind: Rate, Formula: rate(1, "NumOfCommands"), Perf: []Perf{{"disk.commandsAveraged.average", AsIs, ofDevice}, {"storageAdapter.commandsAveraged.average", AsIs, []Object{Adapter}}, {"storagePath.commandsAveraged.average", AsIs, []Object{Path}}}},
	{ID: "disk.reads", Objects: ofIO, Column: "READS/s", Counter: "Reads/sec", Unit: PerSecond, Kind: Rate, Formula: rate(1, "NumOfReadOps"), Perf: []Perf{{"disk.numberReadAveraged.average", AsIs, ofDevice}, {"storageAdapter.numberReadAveraged.average", AsIs, []Object{Adapter}}, {"storagePath.numberReadAveraged.average", AsIs, []Object{Path}}}},
	{ID: "disk.writes", Objects: ofIO, Column: "WRITES/s", Counter: "Writes/sec", Unit: PerSecond, Kind: Rate, Formula: rate(1, "NumOfWriteOps"), Perf: []Perf{{"disk.numberWriteAveraged.average", AsIs, ofDevice}, {"storageAdapter.numberWriteAveraged.average", AsIs, []Object{Adapter}}, {"storagePath.numberWriteAveraged.average", AsIs, []Object{Path}}}},
	{ID: "disk.readRate", Objects: ofIO, Column: "MBREAD/s", Counter: "MBytes Read/sec", Unit: MBps, Kind: Rate, Formula: own("Δ NumOfBlocksRead × 512 / 2²⁰ / Δt; of a device × BlockSizeInBytes", "NumOfBlocksRead"), Perf: []Perf{{"disk.read.average", KBpsToMBps, ofDevice}, {"storageAdapter.read.average", KBpsToMBps, []Object{Adapter}}, {"storagePath.read.average", KBpsToMBps, []Object{Path}}}},
	{ID: "disk.writeRate", Objects: ofIO, Column: "MBWRTN/s", Counter: "MBytes Written/sec", Unit: MBps, Kind: Rate, Formula: own("Δ NumOfBlocksWritten × 512 / 2²⁰ / Δt; of a device × BlockSizeInBytes", "NumOfBlocksWritten"), Perf: []Perf{{"disk.write.average", KBpsToMBps, ofDevice}, {"storageAdapter.write.average", KBpsToMBps, []Object{Adapter}}, {"storagePath.write.average", KBpsToMBps, []Object{Path}}}},
	{ID: "disk.reserves", Objects: ofErrors, Column: "RESV/s", Counter: "Reserves/sec", Unit: PerSecond, Kind: Rate, Formula: rate(1, "NumOfReserveOps")},
	{ID: "disk.conflicts", Objects: ofErrors, Column: "CONS/s", Counter: "Conflicts/sec", Unit: PerSecond, Kind: Rate, Formula: rate(1, "NumOfReservationConflicts"), Perf: perf("disk.scsiReservationConflicts.summation", PerInterval, Device)},

	{ID: "disk.deviceLatency", Objects: ofIO, Column: "DAVG/cmd", Counter: "Average Driver MilliSec/Command", Unit: Millisec, Kind: Mean, per: "disk.commands", Formula: mean("IssueTimeInUsec", "NumOfCommands"), Perf: perf("disk.deviceLatency.average", AsIs, Device)},
	{ID: "disk.kernelLatency", Objects: ofIO, Column: "KAVG/cmd", Counter: "Average Kernel MilliSec/Command", Unit: Millisec, Kind: Mean, per: "disk.commands", Formula: reckoned(excess, "disk.guestLatency", "disk.deviceLatency").told("disk.guestLatency − disk.deviceLatency, not below 0"), Perf: perf("disk.kernelLatency.average", AsIs, Device)},
	{ID: "disk.guestLatency", Objects: ofIO, Column: "GAVG/cmd", Counter: "Average Guest MilliSec/Command", Unit: Millisec, Kind: Mean, per: "disk.commands", Formula: mean("TotalTimeInUsec", "NumOfCommands"), Perf: perf("disk.totalLatency.average", AsIs, Device)},
	{ID: "disk.queueLatency", Objects: ofIO, Column: "QAVG/cmd", Counter: "Average Queue MilliSec/Command", Unit: Millisec, Kind: Mean, per: "disk.commands", Formula: mean("QueueTimeInUsec", "NumOfCommands"), Perf: []Perf{{"disk.queueLatency.average", AsIs, ofDevice}, {"storageAdapter.queueLatency.average", AsIs, []Object{Adapter}}}},
	{ID: "disk.deviceReadLatency", Objects: ofIO, Column: "DAVG/rd", Counter: "Average Driver MilliSec/Read", Unit: Millisec, Kind: Mean, per: "disk.reads", Formula: mean("ReadIssueTimeInUsec", "NumOfReadOps"), Perf: perf("disk.deviceReadLatency.average", AsIs, Device)},
	{ID: "disk.kernelReadLatency", Objects: ofIO, Column: "KAVG/rd", Counter: "Average Kernel MilliSec/Read", Unit: Millisec, Kind: Mean, per: "disk.reads", Formula: reckoned(excess, "disk.guestReadLatency", "disk.deviceReadLatency").told("disk.guestReadLatency − disk.deviceReadLatency, not below 0"), Perf: perf("disk.kernelReadLatency.average", AsIs, Device)},
	{ID: "disk.guestReadLatency", Objects: ofIO, Column: "GAVG/rd", Counter: "Average Guest MilliSec/Read", Unit: Millisec, Kind: Mean, per: "disk.reads", Formula: mean("ReadTotalTimeInUsec", "NumOfReadOps"), Perf: []Perf{{"disk.totalReadLatency.average", AsIs, ofDevice}, {"storageAdapter.totalReadLatency.average", AsIs, []Object{Adapter}}, {"storagePath.totalReadLatency.average", AsIs, []Object{Path}}}},
	{ID: "disk.queueReadLatency", Objects: ofIO, Column: "QAVG/rd", Counter: "Average Queue MilliSec/Read", Unit: Millisec, Kind: Mean, per: "disk.reads", Formula: mean("ReadQueueTimeInUsec", "NumOfReadOps"), Perf: perf("disk.queueReadLatency.average", AsIs, Device)},
	{ID: "disk.deviceWriteLatency", Objects: ofIO, Column: "DAVG/wr", Counter: "Average Driver MilliSec/Write", Unit: Millisec, Kind: Mean, per: "disk.writes", Formula: mean("WriteIssueTimeInUsec", "NumOfWriteOps"), Perf: perf("disk.deviceWriteLatency.average", AsIs, Device)},
	{ID: "disk.kernelWriteLatency", Objects: ofIO, Column: "KAVG/wr", Counter: "Average Kernel MilliSec/Write", Unit: Millisec, Kind: Mean, per: "disk.writes", Formula: reckoned(excess, "disk.guestWriteLatency", "disk.deviceWriteLatency").told("disk.guestWriteLatency − disk.deviceWriteLatency, not below 0"), Perf: perf("disk.kernelWriteLatency.average", AsIs, Device)},
	{ID: "disk.guestWriteLatency", Objects: ofIO, Column: "GAVG/wr", Counter: "Average Guest MilliSec/Write", Unit: Millisec, Kind: Mean, per: "disk.writes", Formula: mean("WriteTotalTimeInUsec", "NumOfWriteOps"), Perf: []Perf{{"disk.totalWriteLatency.average", AsIs, ofDevice}, {"storageAdapter.totalWriteLatency.average", AsIs, []Object{Adapter}}, {"storagePath.totalWriteLatency.average", AsIs, []Object{Path}}}},
	{ID: "disk.queueWriteLatency", Objects: ofIO, Column: "QAVG/wr", Counter: "Average Queue MilliSec/Write", Unit: Millisec, Kind: Mean, per: "disk.writes", Formula: mean("WriteQueueTimeInUsec", "NumOfWriteOps"), Perf: perf("disk.queueWriteLatency.average", AsIs, Device)},

	{ID: "disk.failedCommands", Objects: ofErrors, Column: "FCMDS/s", Counter: "Failed Commands/sec", Unit: PerSecond, Kind: Rate, Formula: notThere()},
	{ID: "disk.failedReads", Objects: ofErrors, Column: "FREAD/s", Counter: "Failed Reads/sec", Unit: PerSecond, Kind: Rate, Formula: notThere()},
	{ID: "disk.failedWrites", Objects: ofErrors, Column: "FWRITE/s", Counter: "Failed Writes/sec", Unit: PerSecond, Kind: Rate, Formula: notThere()},
	{ID: "disk.failedReadRate", Objects: ofErrors, Column: "FMBRD/s", Counter: "Failed Bytes Read/sec", Unit: MBps, Kind: Rate, Formula: notThere()},
	{ID: "disk.failedWriteRate", Objects: ofErrors, Column: "FMBWR/s", Counter: "Failed Bytes Written/sec", Unit: MBps, Kind: Rate, Formula: notThere()},
	{ID: "disk.failedReserves", Objects: ofErrors, Column: "FRESV/s", Counter: "Failed Reserves/sec", Unit: PerSecond, Kind: Rate, Formula: notThere()},
	{ID: "disk.aborts", Objects: ofErrors, Column: "ABRTS/s", Counter: "Aborts/sec", Unit: PerSecond, Kind: Rate, Formula: rate(1, "NumOfAborts"), Perf: []Perf{{"disk.commandsAborted.summation", PerInterval, ofDevice}, {"storagePath.commandsAborted.summation", PerInterval, []Object{Path}}}},
	{ID: "disk.resets", Objects: ofErrors, Column: "RESETS/s", Counter: "Resets/sec", Unit: PerSecond, Kind: Rate, Formula: rate(1, "NumOfTotalResets"), Perf: []Perf{{"disk.busResets.summation", PerInterval, ofDevice}, {"storagePath.busResets.summation", PerInterval, []Object{Path}}}},
	{ID: "disk.paeCommands", Objects: ofSplits, Column: "PAECMD/s", Counter: "PAE Commands/sec", Unit: PerSecond, Kind: Rate, Formula: rate(1, "NumOfPAECommands")},
	{ID: "disk.paeCopies", Objects: ofSplits, Column: "PAECP/s", Counter: "PAE Copies/sec", Unit: PerSecond, Kind: Rate, Formula: rate(1, "NumOfPAECopies")},
	{ID: "disk.splitCommands", Objects: ofSplits, Column: "SPLTCMD/s", Counter: "Split Commands/sec", Unit: PerSecond, Kind: Rate, Formula: rate(1, "NumOfSplitCommands")},
	{ID: "disk.splitCopies", Objects: ofSplits, Column: "SPLTCP/s", Counter: "Split Copies/sec", Unit: PerSecond, Kind: Rate, Formula: rate(1, "NumOfSplitCopies")},

	{ID: "vaai.cloneReads", Objects: ofDevice, Column: "CLONE_RD", Counter: "CReads", Unit: Number, Kind: Gauge, Formula: gauge(1, "NumOfCloneReadOps")},
	{ID: "vaai.cloneWrites", Objects: ofDevice, Column: "CLONE_WR", Counter: "CWrites", Unit: Number, Kind: Gauge, Formula: gauge(1, "NumOfCloneWriteOps")},
	{ID: "vaai.cloneFailed", Objects: ofDevice, Column: "CLONE_F", Counter: "CFailed", Unit: Number, Kind: Gauge, Formula: gauge(1, "NumOfFailedCloneOps")},
	{ID: "vaai.cloneReadRate", Objects: ofDevice, Column: "MBC_RD/s", Counter: "MBytes CReads/sec", Unit: MBps, Kind: Rate, Formula: rate(fromBlocks, "NumOfBlocksCloneRead")},
	{ID: "vaai.cloneWriteRate", Objects: ofDevice, Column: "MBC_WR/s", Counter: "MBytes CWrites/sec", Unit: MBps, Kind: Rate, Formula: rate(fromBlocks, "NumOfBlocksCloneWrite")},
	{ID: "vaai.ats", Objects: ofDevice, Column: "ATS", Counter: "ATS", Unit: Number, Kind: Gauge, Formula: gauge(1, "NumOfAtsOps")},
	{ID: "vaai.atsFailed", Objects: ofDevice, Column: "ATSF", Counter: "ATS Failed", Unit: Number, Kind: Gauge, Formula: gauge(1, "NumOfFailedAtsOps")},
	{ID: "vaai.zeros", Objects: ofDevice, Column: "ZERO", Counter: "Zeros", Unit: Number, Kind: Gauge, Formula: gauge(1, "NumOfZeroOps")},
	{ID: "vaai.zerosFailed", Objects: ofDevice, Column: "ZERO_F", Counter: "Zeros Failed", Unit: Number, Kind: Gauge, Formula: gauge(1, "NumOfFailedZeroOps")},
	{ID: "vaai.zeroRate", Objects: ofDevice, Column: "MBZERO/s", Counter: "MBytes Zeroed/sec", Unit: MBps, Kind: Rate, Formula: rate(fromBlocks, "NumOfBlocksZeroed")},
	{ID: "vaai.deletes", Objects: ofDevice, Column: "DELETE", Counter: "Delete", Unit: Number, Kind: Gauge, Formula: notThere()},
	{ID: "vaai.deletesFailed", Objects: ofDevice, Column: "DELETE_F", Counter: "Deletes Failed", Unit: Number, Kind: Gauge, Formula: notThere()},
	{ID: "vaai.deleteRate", Objects: ofDevice, Column: "MBDEL/s", Counter: "MBytes Deletes/sec", Unit: MBps, Kind: Rate, Formula: notThere()},
	{ID: "vaai.cloneLatency", Objects: ofDevice, Column: "CAVG/suc", Counter: "Average Success Latency ms/Clone", Unit: Millisec, Kind: Mean, Formula: mean("CloneSuccessTimeInUsec", "NumOfCloneReadOps", "NumOfCloneWriteOps").told("Δ CloneSuccessTimeInUsec / Δ (NumOfCloneReadOps + NumOfCloneWriteOps) / 1000")},
	{ID: "vaai.cloneFailedLatency", Objects: ofDevice, Column: "CAVG/f", Counter: "Average Failure Latency ms/Clone", Unit: Millisec, Kind: Mean, Formula: mean("CloneFailureTimeInUsec", "NumOfFailedCloneOps")},
	{ID: "vaai.atsLatency", Objects: ofDevice, Column: "AAVG/suc", Counter: "Average Success Latency ms/ATS", Unit: Millisec, Kind: Mean, Formula: mean("AtsSuccessTimeInUsec", "NumOfAtsOps")},
	{ID: "vaai.atsFailedLatency", Objects: ofDevice, Column: "AAVG/f", Counter: "Average Failure Latency ms/ATS", Unit: Millisec, Kind: Mean, Formula: mean("AtsFailureTimeInUsec", "NumOfFailedAtsOps")},
	{ID: "vaai.zeroLatency", Objects: ofDevice, Column: "ZAVG/suc", Counter: "Average Success Latency ms/Zero", Unit: Millisec, Kind: Mean, Formula: mean("ZeroSuccessTimeInUsec", "NumOfZeroOps")},
	{ID: "vaai.zeroFailedLatency", Objects: ofDevice, Column: "ZAVG/f", Counter: "Average Failure Latency ms/Zero", Unit: Millisec, Kind: Mean, Formula: mean("ZeroFailureTimeInUsec", "NumOfFailedZeroOps")},

	{ID: "nfs.active", Objects: ofNFS, Column: "ACTV", Counter: "Active Commands", Unit: Number, Kind: Gauge, Formula: gauge(1, "NumOfActiveCmds")},
	{ID: "nfs.reads", Objects: ofNFS, Column: "READS/s", Counter: "Reads/sec", Unit: PerSecond, Kind: Rate, Formula: rate(1, "NumOfReads"), Perf: perf("datastore.numberReadAveraged.average", AsIs)},
	{ID: "nfs.writes", Objects: ofNFS, Column: "WRITES/s", Counter: "Writes/sec", Unit: PerSecond, Kind: Rate, Formula: rate(1, "NumOfWrites"), Perf: perf("datastore.numberWriteAveraged.average", AsIs)},
	{ID: "nfs.readRate", Objects: ofNFS, Column: "MBREAD/s", Counter: "MBytes Read/sec", Unit: MBps, Kind: Rate, Formula: rate(fromBytes, "ReadByte"), Perf: perf("datastore.read.average", KBpsToMBps)},
	{ID: "nfs.writeRate", Objects: ofNFS, Column: "MBWRTN/s", Counter: "MBytes Written/sec", Unit: MBps, Kind: Rate, Formula: rate(fromBytes, "WriteByte"), Perf: perf("datastore.write.average", KBpsToMBps)},
	{ID: "nfs.readLatency", Objects: ofNFS, Column: "GAVG/rd", Counter: "Average Guest MilliSec/Read", Unit: Millisec, Kind: Mean, per: "nfs.reads", Formula: mean("ReadTimeInUsec", "NumOfReads"), Perf: perf("datastore.totalReadLatency.average", AsIs)},
	{ID: "nfs.writeLatency", Objects: ofNFS, Column: "GAVG/wr", Counter: "Average Guest MilliSec/Write", Unit: Millisec, Kind: Mean, per: "nfs.writes", Formula: mean("WriteTimeInUsec", "NumOfWrites"), Perf: perf("datastore.totalWriteLatency.average", AsIs)},
	{ID: "nfs.aborts", Objects: ofNFS, Column: "ABRTS/s", Counter: "Aborts/sec", Unit: PerSecond, Kind: Rate, Formula: rate(1, "NumOfAborts")},

	{ID: "vdisk.disks", Objects: []Object{DiskVM}, Column: "NVDISK", Unit: Number, Kind: Gauge, Formula: gauge(1, "NumOfVscsiDisks")},
	{ID: "vdisk.commands", Objects: ofVDisks, Column: "CMDS/s", Counter: "Commands/sec", Unit: PerSecond, Kind: Rate, Formula: reckoned(sum, "vdisk.reads", "vdisk.writes").told("vdisk.reads + vdisk.writes")},
	{ID: "vdisk.reads", Objects: ofVDisks, Column: "READS/s", Counter: "Reads/sec", Unit: PerSecond, Kind: Rate, Formula: rate(1, "VscsiDisk.NumOfReads"), Perf: perf("virtualDisk.numberReadAveraged.average", AsIs, VDisk)},
	{ID: "vdisk.writes", Objects: ofVDisks, Column: "WRITES/s", Counter: "Writes/sec", Unit: PerSecond, Kind: Rate, Formula: rate(1, "VscsiDisk.NumOfWrites"), Perf: perf("virtualDisk.numberWriteAveraged.average", AsIs, VDisk)},
	{ID: "vdisk.readRate", Objects: ofVDisks, Column: "MBREAD/s", Counter: "MBytes Read/sec", Unit: MBps, Kind: Rate, Formula: rate(fromBytes, "VscsiDisk.ReadByte"), Perf: perf("virtualDisk.read.average", KBpsToMBps, VDisk)},
	{ID: "vdisk.writeRate", Objects: ofVDisks, Column: "MBWRTN/s", Counter: "MBytes Written/sec", Unit: MBps, Kind: Rate, Formula: rate(fromBytes, "VscsiDisk.WriteByte"), Perf: perf("virtualDisk.write.average", KBpsToMBps, VDisk)},
	{ID: "vdisk.readLatency", Objects: ofVDisks, Column: "LAT/rd", Counter: "Average MilliSec/Read", Unit: Millisec, Kind: Mean, per: "vdisk.reads", Formula: mean("VscsiDisk.LatencyReads", "VscsiDisk.NumOfReads"), Perf: perf("virtualDisk.totalReadLatency.average", AsIs, VDisk)},
	{ID: "vdisk.writeLatency", Objects: ofVDisks, Column: "LAT/wr", Counter: "Average MilliSec/Write", Unit: Millisec, Kind: Mean, per: "vdisk.writes", Formula: mean("VscsiDisk.LatencyWrites", "VscsiDisk.NumOfWrites"), Perf: perf("virtualDisk.totalWriteLatency.average", AsIs, VDisk)},
	{ID: "vdisk.failedIOs", Objects: ofVDisks, Counter: "FailedIOs", Unit: Number, Kind: Gauge, Formula: notThere()},
	{ID: "vdisk.totalIOs", Objects: ofVDisks, Counter: "TotalIOs", Unit: Number, Kind: Gauge, Formula: notThere()},
	{ID: "vdisk.latency", Objects: ofVDisks, Counter: "Latency", Unit: Number, Kind: Gauge, Formula: notThere()},
}
