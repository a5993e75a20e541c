// Command vperf audits VMware ESXi hosts and their VMs against performance rules.
package main

import (
	"os"

	"github.com/vperf/vperf/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:])) }
