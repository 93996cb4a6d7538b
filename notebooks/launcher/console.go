package launcher

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// console is where the launcher talks to the user. On a terminal one line may be live: it is rewritten in place. Elsewhere,
// as in the log of a CI job, nothing is ever rewritten.
type console struct {
	mu    sync.Mutex
	w     io.Writer
	tty   bool
	width int
	live  string // what the live line shows now
}

func newConsole(f *os.File) *console {
	c := &console{w: f, width: 100}
	if w := terminalWidth(f); w > 0 && os.Getenv("TERM") != "dumb" {
		c.tty, c.width = true, w
	}
	return c
}

// line prints a finished line above the live one.
func (c *console) line(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	live := c.live
	c.show("")
	fmt.Fprintf(c.w, format+"\n", args...)
	c.show(live)
}

// setLive shows text in the live line, cut to the terminal's width; "" clears it. It does nothing where there is no terminal.
func (c *console) setLive(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.show(text)
}

func (c *console) show(text string) {
	if !c.tty || text == c.live {
		return
	}
	text = clip(text, c.width-1)
	pad := utf8.RuneCountInString(c.live) - utf8.RuneCountInString(text)
	fmt.Fprint(c.w, "\r"+text)
	if pad > 0 {
		fmt.Fprint(c.w, strings.Repeat(" ", pad)+"\r"+text)
	}
	c.live = text
}

// clip cuts text to at most n characters; line breaks and other control characters become spaces.
func clip(text string, n int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	if n < 1 {
		return ""
	}
	return string([]rune(text)[:n-1]) + "…"
}

// seconds writes a duration for people: "0.4 s", "12.3 s", "3 min 05 s".
func seconds(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	s := int(d.Round(time.Second) / time.Second)
	return fmt.Sprintf("%d min %02d s", s/60, s%60)
}

// bytesOf writes a size for people: "512 B", "1.4 MB".
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
