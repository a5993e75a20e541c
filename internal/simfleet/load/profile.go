package load

import "math"

// shape returns the fraction of a VM's load at an hour of the day, from 0 to 1.
type shape func(hour, swing float64) float64

// The shapes. Swing is slow noise from 0 to 1.
func officeDay(hour, swing float64) float64 {
	return 0.85*bump(hour, 11, 4.5)*(1-0.35*bump(hour, 12.5, 0.7)) + 0.75*bump(hour, 15.5, 3) + 0.1*swing
}
func nightly(hour, swing float64) float64 { return 0.95*bump(hour, 2.5, 2.5) + 0.05*swing }
func steady(_, swing float64) float64     { return swing }
func inBursts(_, swing float64) float64   { return swing * swing * swing }
func leaking(hour, swing float64) float64 { return 0.9*math.Mod(hour, 6)/6 + 0.1*swing }

// bump returns 1 at the middle and nearly 0 at distances greater than its width.
func bump(hour, middle, width float64) float64 {
	d := math.Abs(hour - middle)
	d = min(d, 24-d) / width
	return math.Exp(-2 * d * d)
}

// shapes maps the names in profiles to shapes.
var shapes = map[string]shape{"officeDay": officeDay, "nightly": nightly, "steady": steady, "inBursts": inBursts}
