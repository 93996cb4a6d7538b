package liveline

import (
	"testing"
	"time"
)

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0.0 s", 1500 * time.Millisecond: "1.5 s", 42 * time.Second: "42 s", 59700 * time.Millisecond: "1 min 0 s",
		130 * time.Second: "2 min 10 s", 3599600 * time.Millisecond: "1 h 0 min", 25*time.Hour + 61*time.Second: "25 h 1 min",
	} {
		if got := Duration(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}
