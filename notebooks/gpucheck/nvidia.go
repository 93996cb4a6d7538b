package main

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// nvidia fills in what nvidia-smi, or else the kernel, knows of the cards. Where there is neither, nothing is filled in.
func (m *Machine) nvidia(ctx context.Context) {
	out, err := exec.CommandContext(ctx, "nvidia-smi", "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader").Output()
	if err == nil {
		m.Cards, m.Driver = cardsOf(string(out))
		return
	}
	if text, err := os.ReadFile("/proc/driver/nvidia/version"); err == nil {
		m.Driver = regexp.MustCompile(`\d+\.\d+(\.\d+)?`).FindString(string(text))
	}
}

// cardsOf reads nvidia-smi's lines "NVIDIA H200, 143771 MiB, 580.159.04".
func cardsOf(lines string) (cards, driver string) {
	var names []string
	for line := range strings.Lines(lines) {
		fields := strings.Split(strings.TrimSpace(line), ", ")
		if len(fields) != 3 {
			continue
		}
		names, driver = append(names, fields[0]+" "+fields[1]), fields[2]
	}
	return strings.Join(names, "; "), driver
}

// memoryWatch follows how much memory the cards hold while a check runs.
type memoryWatch struct {
	stop context.CancelFunc
	done chan struct{}

	mu     sync.Mutex
	before map[string]float64 // of each card, in MiB
	most   map[string]float64
}

// watchMemory starts to follow the cards' memory. Where there is no nvidia-smi the watch stays empty.
func watchMemory(ctx context.Context) *memoryWatch {
	ctx, stop := context.WithCancel(ctx)
	w := &memoryWatch{stop: stop, done: make(chan struct{}), before: map[string]float64{}, most: map[string]float64{}}
	cmd := exec.CommandContext(ctx, "nvidia-smi", "--query-gpu=index,memory.used", "--format=csv,noheader,nounits", "-lms", "200")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		close(w.done)
		return w
	}
	lines := bufio.NewScanner(out)
	if lines.Scan() { // what the first card held before must be known before the check starts
		w.see(lines.Text())
	}
	go func() {
		defer close(w.done)
		for lines.Scan() {
			w.see(lines.Text())
		}
		_ = cmd.Wait() // ended by stop, so with an error
	}()
	return w
}

// see takes a line "0, 1234": a card and the MiB it holds.
func (w *memoryWatch) see(line string) {
	card, used, ok := strings.Cut(strings.TrimSpace(line), ", ")
	mib, err := strconv.ParseFloat(used, 64)
	if !ok || err != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, seen := w.before[card]; !seen {
		w.before[card] = mib
	}
	w.most[card] = max(w.most[card], mib)
}

// end stops the watch and returns by how many bytes the memory of a card rose at most; ok is false where nothing told, and
// for a watch that is nil.
func (w *memoryWatch) end() (bytes float64, ok bool) {
	if w == nil {
		return 0, false
	}
	w.stop()
	<-w.done
	w.mu.Lock()
	defer w.mu.Unlock()
	for card, before := range w.before {
		bytes = max(bytes, (w.most[card]-before)*(1<<20))
	}
	return bytes, len(w.before) > 0
}
