package probe

import (
	"errors"
	"fmt"
)

// ReleaseName returns the name of a host's release as the option table has it: 9.1.0, 8.0U3, 6.7U3. Patches, such as 8.0U3g, cannot
// be derived from what hosts report.
func (h *Host) ReleaseName() (string, error) {
	v, err := h.version()
	if err != nil {
		return "", errors.New("the host did not report its version")
	}
	line := fmt.Sprintf("%d.%d", v.Major, v.Minor)
	switch {
	case v.Major >= 9:
		return v.String(), nil
	case v.Major >= 7 && v.Update > 0:
		return fmt.Sprintf("%sU%d", line, v.Update), nil
	case v.Major >= 7:
		return line, nil
	case h.Update == "":
		return "", fmt.Errorf("all updates of %s report the same version, and the host did not report its update level", line)
	case h.Update == "0":
		return line, nil
	}
	return line + "U" + h.Update, nil
}
