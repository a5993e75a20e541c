package simfleet

import "time"

// busiest is the hour at which most of the fleet is at work: an office's first peak, when batches of the night are done.
const busiest = 10*time.Hour + 30*time.Minute

// MidMorning is the zone of people for whom it is half past ten, from twelve hours behind UTC to as many ahead of it. What is
// wrong with a fleet shows while people work: who looks at a demonstration at night sees it too if the fleet lives there. It
// holds for a Config without a Speed.
func MidMorning(at time.Time) time.Duration {
	const day = 24 * time.Hour
	zone := busiest - at.Sub(at.UTC().Truncate(day))
	if zone < -day/2 {
		zone += day
	}
	return zone
}
