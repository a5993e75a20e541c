package exporter

import (
	_ "embed"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

//go:embed landing.css
var landingColours string

// TestLandingContrast checks every text colour of the landing page on its backgrounds by the WCAG 2 formula: 4.5, in both schemes.
func TestLandingContrast(t *testing.T) {
	schemes := regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllStringSubmatch(landingColours, -1)
	require.Len(t, schemes, 2, "light and dark")
	for i, scheme := range schemes {
		colours := map[string]string{}
		for _, m := range regexp.MustCompile(`--([a-z]+): #([0-9a-f]{6});`).FindAllStringSubmatch(scheme[1], -1) {
			colours[m[1]] = m[2]
		}
		for text := range strings.FieldsSeq("ink faint link good warn bad") {
			for back := range strings.FieldsSeq("ground panel") {
				a, b := relativeLuminance(t, colours[text]), relativeLuminance(t, colours[back])
				require.GreaterOrEqual(t, (max(a, b)+0.05)/(min(a, b)+0.05), 4.5, "scheme %d: %s on %s", i, text, back)
			}
		}
	}
}

func relativeLuminance(t *testing.T, colour string) float64 {
	t.Helper()
	require.Len(t, colour, 6)
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(colour[2*i:2*i+2], 16, 8)
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
