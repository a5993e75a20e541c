package trial

import "time"

var start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
