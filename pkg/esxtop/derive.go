package esxtop

// Deriver turns the samples of one host into frames, each out of one sample and the one before it.
type Deriver struct {
	last *Sample
}
