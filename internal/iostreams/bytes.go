package iostreams

import "fmt"

// Bytes is a size in the unit that people use for it: 812 B, 14 kB, 1.4 MB.
func Bytes(n int64) string {
	const k = 1000
	switch {
	case n < k:
		return fmt.Sprintf("%d B", n)
	case n < k*k:
		return fmt.Sprintf("%.0f kB", float64(n)/k)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(k*k))
}
