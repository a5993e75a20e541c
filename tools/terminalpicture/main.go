// Terminalpicture draws the output of a command on a terminal as an SVG. It reads the output, with its colours, from standard
// input and writes the picture to standard output. This makes the picture of the README on Linux:
//
//	script -qefc 'stty cols 100; vperf audit --demo' /dev/null |
//		go run ./tools/terminalpicture 'vperf audit --demo' > docs/images/audit.svg
//
// A test of internal/cli compares that file with what vperf prints; make golden rewrites it.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/vperf/vperf/tools/terminalpicture/svg"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: terminalpicture COMMAND < OUTPUT > FILE.svg")
		os.Exit(2)
	}
	output, err := io.ReadAll(os.Stdin)
	if err == nil {
		_, err = os.Stdout.Write(svg.Draw(os.Args[1], string(output)))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "terminalpicture:", err)
		os.Exit(1)
	}
}
