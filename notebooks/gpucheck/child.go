package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// runner runs a part and returns what it found, telling meanwhile how far it is. The engine is that of the environment's
// GOMLX_BACKEND unless backend names another.
type runner func(ctx context.Context, p part, backend string, progress func(string)) (message, error)

// inProcess runs a part in a process of its own, of this very program.
func inProcess(ctx context.Context, p part, backend string, progress func(string)) (message, error) {
	program, err := os.Executable()
	if err != nil {
		return message{}, err
	}
	argument, err := json.Marshal(p)
	if err != nil {
		return message{}, err
	}
	cmd := exec.CommandContext(ctx, program, "-part", string(argument))
	cmd.Env = append(os.Environ(), "GOMLX_NO_AUTO_INSTALL=1")
	if backend != "" {
		cmd.Env = append(cmd.Env, "GOMLX_BACKEND="+backend)
	}
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.StdoutPipe()
	if err != nil {
		return message{}, err
	}
	if err := cmd.Start(); err != nil {
		return message{}, err
	}
	found, readErr := readMessages(bufio.NewScanner(out), progress)
	err = errors.Join(readErr, cmd.Wait())
	switch {
	case ctx.Err() != nil:
		return message{}, ctx.Err()
	case found.Error != "":
		return message{}, errors.New(firstLines(found.Error, 3))
	case err != nil:
		lines := strings.Split(strings.TrimSpace(complaints.String()), "\n")
		return message{}, fmt.Errorf("its process ended with %w: %s", err, crash(lines))
	}
	return found, nil
}

// readMessages reads the lines of such a process up to what it found, which is the last of them. Other lines, as libraries
// may print, are passed over.
func readMessages(lines *bufio.Scanner, progress func(string)) (message, error) {
	var found message
	for lines.Scan() {
		var m message
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			continue
		}
		if m.Progress != "" {
			progress(m.Progress)
			continue
		}
		found = m
	}
	return found, lines.Err()
}
