package page

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/report/page/sheet"
)

// TestContrast checks the contrast of colours with their background by the WCAG 2 formula: 4.5 for text, 3 for shapes.
func TestContrast(t *testing.T) {
	modes := regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllStringSubmatch(sheet.CSS, 2)
	require.Len(t, modes, 2, "light and dark")
	for i, mode := range modes {
		colours := map[string]string{}
		for _, m := range regexp.MustCompile(`--([a-z0-9-]+): (#[0-9a-f]{6});`).FindAllStringSubmatch(mode[1], -1) {
			colours[m[1]] = m[2]
		}
		hold := func(front, back string, least float64) {
			require.NotEmpty(t, colours[front], front)
			require.NotEmpty(t, colours[back], back)
			require.GreaterOrEqual(t, contrast(t, colours[front], colours[back]), least, "mode %d: %s on %s", i, front, back)
		}
		for word := range strings.FieldsSeq("ink faint link good warn bad critical high medium low info") {
			hold(word, "ground", 4.5)
			hold(word, "panel", 4.5)
		}
		for s := range strings.FieldsSeq("critical high medium low info") {
			hold(s, s+"-bg", 3)
			hold("ink", s+"-bg", 4.5)
			hold("bad", s+"-bg", 3)
		}
		for line := range strings.FieldsSeq("c0 c1 c2 c3 c4 c5 bad") {
			hold(line, "panel", 3)
		}
		hold("ink", "vm", 4.5)
		hold("bad", "vm", 3)
		hold("strong", "ground", 3)
	}
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		require.NoError(t, err)
		v := float64(n) / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += weight * v
	}
	return sum
}
