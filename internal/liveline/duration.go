package liveline

import (
	"fmt"
	"time"
)

// Duration formats d in a readable form: "1.5 s", "45 s", "2 min 10 s", "1 h 5 min".
func Duration(d time.Duration) string {
	s := int64(d.Seconds() + 0.5)
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	}
	return fmt.Sprintf("%d h %d min", s/3600, s%3600/60)
}
