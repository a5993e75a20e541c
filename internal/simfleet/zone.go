package simfleet

import "time"

// busiest is the time of day with the highest load: an office's first peak, after the nightly batch jobs.
const busiest = 10*time.Hour + 30*time.Minute

// MidMorning returns the time zone in which it is now half past ten, from twelve hours behind UTC to twelve hours ahead. Most
// faults show during working hours: in this zone a demo shows them at any time. It applies to a Config without a Speed.
func MidMorning(at time.Time) time.Duration {
	const day = 24 * time.Hour
	zone := busiest - at.Sub(at.UTC().Truncate(day))
	if zone < -day/2 {
		zone += day
	}
	return zone
}
