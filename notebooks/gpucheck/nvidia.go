package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
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

// watchMemory starts to follow how much memory the cards hold. end stops that and returns by how many bytes the memory of a card
// rose at most; known is false where there is no nvidia-smi.
func watchMemory(ctx context.Context) (end func() (bytes float64, known bool)) {
	ctx, stop := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, "nvidia-smi", "--query-gpu=index,memory.used", "--format=csv,noheader,nounits", "-lms", "200")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		stop()
		return notWatched
	}
	lines := bufio.NewReader(out)
	first, _ := lines.ReadString('\n') // what the first card held before must be known before the check starts
	rest := make(chan []byte, 1)
	go func() {
		text, _ := io.ReadAll(lines) // until the program ends
		rest <- text
	}()
	return func() (float64, bool) {
		stop()
		text := first + string(<-rest)
		_ = cmd.Wait() // ended by stop, so with an error
		return highestRise(text)
	}
}

// notWatched ends a watch that never began.
func notWatched() (bytes float64, known bool) { return 0, false }

// highestRise returns by how many bytes the memory of a card rose at most above what it held first, by lines "0, 1234": a card
// and the MiB it holds. known is false where no line tells.
func highestRise(lines string) (bytes float64, known bool) {
	first := map[string]float64{}
	for line := range strings.Lines(lines) {
		card, used, _ := strings.Cut(strings.TrimSpace(line), ", ")
		mib, err := strconv.ParseFloat(used, 64)
		if err != nil {
			continue
		}
		if _, seen := first[card]; !seen {
			first[card] = mib
		}
		bytes = max(bytes, (mib-first[card])*(1<<20))
	}
	return bytes, len(first) > 0
}
