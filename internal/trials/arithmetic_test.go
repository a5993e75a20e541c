package trials

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/vperf/vperf/internal/simfleet/load"
	"github.com/vperf/vperf/pkg/trial"
)

// The samples of a trial are what the fleet's model does, and its result follows from them by arithmetic that shares no code with
// pkg/trial.
func TestArithmeticOfTrials(t *testing.T) {
	t.Parallel()
	library := builtIn(t)
	for k, e := range experiments() {
		t.Run(e.title, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, library, e, nil, uint64(70+k), .8, .05)
			b.schedule(8)
			var texts [][]byte
			result := b.run(t, func(p trial.Progress) error {
				if p.Kind != trial.BlockDone {
					return nil
				}
				b.matchesModel(t, p.Block)
				text, err := json.Marshal(p.Block)
				texts = append(texts, text)
				return err
			})
			var list []float64
			for pair := 0; pair+1 < len(texts); pair += 2 {
				var first, second jsonBlock
				require.NoError(t, json.Unmarshal(texts[pair], &first))
				require.NoError(t, json.Unmarshal(texts[pair+1], &second))
				require.NotEqual(t, first.Treated[0], second.Treated[0])
				if first.Units[0].Dropped != "" || second.Units[0].Dropped != "" {
					continue
				}
				d := second.value(b.r.Outcome.Form) - first.value(b.r.Outcome.Form)
				if first.Treated[0] {
					d = -d
				}
				list = append(list, d)
			}
			require.Len(t, list, result.Used)
			mean, sd := stat.MeanStdDev(list, nil)
			n := float64(len(list))
			half := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(.975) * sd / math.Sqrt(n)
			require.InDelta(t, mean, result.Estimate.Mean, 1e-9)
			require.InDelta(t, mean-half, result.Estimate.Low, 1e-9)
			require.InDelta(t, mean+half, result.Estimate.High, 1e-9)
			require.InDelta(t, flips(list, math.Abs(n*mean)), result.P, 1e-9)
		})
	}
}

// jsonBlock is a block as its JSON has it.
type jsonBlock struct {
	Treated []bool `json:"treated"`
	Units   []struct {
		Dropped string `json:"dropped"`
		Samples []struct {
			Seconds    float64   `json:"seconds"`
			Cost, Work []float64 //nolint:tagliatelle // as encoding/json matches them
		} `json:"samples"`
	} `json:"units"`
}

// value computes the primary outcome from the samples.
func (b jsonBlock) value(form trial.Form) float64 {
	cost, work, logs, n := 0., 0., 0., 0.
	for _, s := range b.Units[0].Samples {
		if s.Work[0] == 0 {
			continue
		}
		cost, work = cost+s.Cost[0]*s.Seconds, work+s.Work[0]*s.Seconds
		logs, n = logs+math.Log(1+s.Cost[0]/s.Work[0]), n+1
	}
	if form == trial.Log1p {
		return logs / n
	}
	return math.Log(cost) - math.Log(work)
}

// flips returns the share of all sign changes whose sum is as extreme.
func flips(list []float64, extreme float64) float64 {
	if len(list) == 0 {
		return 1
	}
	hits := 0
	var try func(i int, sum float64)
	try = func(i int, sum float64) {
		if i < len(list) {
			try(i+1, sum+list[i])
			try(i+1, sum-list[i])
			return
		}
		if math.Abs(sum) >= extreme-1e-12 {
			hits++
		}
	}
	try(0, 0)
	return float64(hits) / math.Exp2(float64(len(list)))
}

// matchesModel compares the samples of a block with what the host does at that time. Counters are rounded.
func (b *bench) matchesModel(t *testing.T, block *trial.Block) {
	t.Helper()
	for _, s := range block.Units[0].Samples {
		require.False(t, s.Time.Add(-time.Duration(s.Seconds)*time.Second).Before(block.Begin.Add(b.r.Settle)))
		require.False(t, s.Time.After(block.End))
		if s.Work[0] == 0 {
			continue // no commands
		}
		f := b.lab.Loads.Host(b.id, load.SlotOf(s.Time)-1)
		want := b.cost(f) / b.work(f)
		rounding := .01 * want
		if b.outcome == "disk-latency" {
			rounding++ // counters of latency are whole milliseconds
		}
		require.InDelta(t, want, s.Cost[0]/s.Work[0], rounding, "%s at %s", b.outcome, s.Time)
	}
}
