package simfleet

import "testing"

// BenchmarkStart is what each --demo command waits for.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		f, err := Start(Config{})
		if err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
}
