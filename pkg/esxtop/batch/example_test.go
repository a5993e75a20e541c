package batch_test

import (
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/esxtop/batch"
)

const capture = `"(PDH-CSV 4.0) (UTC)(0)","\\esx01\Group Cpu(7001:web01)\% Ready","\\esx01\Memory\Free MBytes"
"04/24/2018 10:49:12","1.07","2048"
"04/24/2018 10:49:17","12.50","2040"
`

// A Reader returns a round for each row of a file.
func ExampleReader() {
	r, err := batch.NewReader(strings.NewReader(capture), esxtop.AllObjects)
	if err != nil {
		log.Fatal(err)
	}
	for {
		round, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		group := round.Frames[0].Rows(esxtop.Group)[0]
		ready, _ := group.Value(esxtop.Lookup("cpu.ready"))
		fmt.Println(round.Time.Format(time.TimeOnly), group.Name, ready)
	}
	// Output:
	// 10:49:12 web01 1.07
	// 10:49:17 web01 12.5
}

// A Writer writes the rounds of any source like esxtop.
func ExampleWriter() {
	host := esxtop.NewRow(esxtop.Host, "esx01", "esx01")
	host.Set(esxtop.Lookup("host.load1"), 0.45)
	frame := &esxtop.Frame{Host: "esx01", Interval: 5 * time.Second}
	frame.Put(esxtop.Host, []esxtop.Row{host})
	w := batch.NewWriter(os.Stdout, batch.Options{All: true})
	err := w.Write(&esxtop.Round{Time: time.Date(2018, 4, 24, 10, 49, 17, 0, time.UTC), Frames: []*esxtop.Frame{frame}})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// "(PDH-CSV 4.0) (UTC)(0)","\\esx01\Physical Cpu Load\Cpu Load (1 Minute Avg)"
	// "04/24/2018 10:49:17","0.45"
}
