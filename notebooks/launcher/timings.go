package launcher

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"
)

// timings is what out/NAME.timings.json says about the last run of a notebook.
type timings struct {
	Notebook string       `json:"notebook"`
	Started  time.Time    `json:"started"`
	Seconds  float64      `json:"seconds"`
	Result   string       `json:"result"` // "ok", "failed" or "interrupted"
	Cells    []cellTiming `json:"cells"`
}

type cellTiming struct {
	Number  int     `json:"number"` // as in the lines of the run
	Title   string  `json:"title"`
	Seconds float64 `json:"seconds"`
	Failed  bool    `json:"failed,omitempty"`
}

func timingsPath(p place, name string) string { return filepath.Join(p.out(), name+".timings.json") }

func (t timings) write(p place) error { return writeJSON(timingsPath(p, t.Notebook), t) }

// readTimings reads what is known of the last run; ok is false when there was none.
func readTimings(p place, name string) (t timings, ok bool, err error) {
	data, err := readIfThere(timingsPath(p, name))
	if data == nil {
		return timings{}, false, err
	}
	if err := json.Unmarshal(data, &t); err != nil {
		return timings{}, false, fmt.Errorf("%s: %w", timingsPath(p, name), err)
	}
	return t, true, nil
}

// String returns when the run was and how it went.
func (t timings) String() string {
	result := ""
	if t.Result != "ok" {
		result = t.Result + " after "
	}
	return t.Started.Local().Format("2006-01-02 15:04, ") + result + seconds(secondsOf(t.Seconds))
}
