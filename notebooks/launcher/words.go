package launcher

import (
	"fmt"
	"time"
)

// seconds writes a duration for people: "0.4 s", "12.3 s", "3 min 05 s".
func seconds(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	s := int(d.Round(time.Second) / time.Second)
	return fmt.Sprintf("%d min %02d s", s/60, s%60)
}

// secondsOf returns so many seconds as a duration.
func secondsOf(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// bytesOf writes a size for people: "512 B", "1.4 GB".
func bytesOf(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1e6:
		return fmt.Sprintf("%.0f kB", float64(n)/1e3)
	case n < 1e9:
		return fmt.Sprintf("%.0f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}
