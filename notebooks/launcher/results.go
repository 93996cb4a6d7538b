package launcher

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// timings is the content of out/NAME.timings.json about the last run of a notebook.
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

// readTimings reads the record of the last run; ok is false if there is none.
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

// String returns the time and the outcome of the run.
func (t timings) String() string {
	result := ""
	if t.Result != "ok" {
		result = t.Result + " after "
	}
	return t.Started.Local().Format("2006-01-02 15:04, ") + result + seconds(secondsOf(t.Seconds))
}

// A notebook publishes its table of results by writing out/NAME/headline.txt. The launcher prints it after the run, if
// it was written in that run.

func headlinePath(p place, name string) string { return filepath.Join(p.out(), name, "headline.txt") }

// headlineTime returns the modification time of the headline; the zero time if there is none.
func headlineTime(p place, name string) (time.Time, error) {
	info, err := os.Stat(headlinePath(p, name))
	if errors.Is(err, fs.ErrNotExist) {
		return time.Time{}, nil
	} else if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

// newHeadline returns the headline if it was written after headlineTime returned before, else "".
func newHeadline(p place, name string, before time.Time) (string, error) {
	now, err := headlineTime(p, name)
	if err != nil || now.IsZero() || now.Equal(before) {
		return "", err
	}
	text, err := os.ReadFile(headlinePath(p, name))
	return string(text), err
}

// list shows the notebooks with their subjects and the times of their last runs.
func (s *session) list() error {
	names, err := notebookNames(s.place)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return &problem{What: "There are no notebooks in " + s.place.relative(s.place.notebooks()) + ".", Mend: "Is the checkout complete?"}
	}
	for i, name := range names {
		nb, err := readNotebook(filepath.Join(s.place.notebooks(), name+".ipynb"))
		if err != nil {
			return err
		}
		t, ran, err := readTimings(s.place, name)
		if err != nil {
			return err
		}
		last := "not run here yet"
		if ran {
			last = "last run " + t.String()
		}
		if i > 0 {
			s.console.Linef("")
		}
		s.console.Linef("%s", strings.TrimSpace(fmt.Sprintf("%s: %s", name, nb.title)))
		if nb.goal != "" {
			s.console.Linef("    %s", nb.goal)
		}
		s.console.Linef("    %d cells to run, %s", nb.codeCells(), last)
	}
	return nil
}

// seconds formats a duration: "0.4 s", "12.3 s", "3 min 05 s".
func seconds(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	s := int(d.Round(time.Second) / time.Second)
	return fmt.Sprintf("%d min %02d s", s/60, s%60)
}

// secondsOf returns seconds as a duration.
func secondsOf(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// bytesOf formats a size: "512 B", "1.4 GB".
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
