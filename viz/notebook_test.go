//go:build unix

package viz

import (
	"bytes"
	"encoding/gob"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/puclab/puclab/internal/expect"
)

// cellEnv makes the test binary run as the program of a notebook cell.
const cellEnv = "VIZ_TEST_CELL"

// TestNotebook starts this test binary as GoNB starts a program; all messages must arrive.
func TestNotebook(t *testing.T) {
	if os.Getenv(cellEnv) != "" {
		cell(t)
		return
	}
	dir := t.TempDir()
	there, back := filepath.Join(dir, "there"), filepath.Join(dir, "back")
	for _, path := range []string{there, back} {
		expect.NoError(t, syscall.Mkfifo(path, 0o600))
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestNotebook$")
	cmd.Env = append(os.Environ(), cellEnv+"=1", protocol.GONB_PIPE_ENV+"="+there, protocol.GONB_PIPE_BACK_ENV+"="+back)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	expect.NoError(t, cmd.Start())
	guard := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
	defer guard.Stop()
	var shown []protocol.DisplayData
	var synced []int
	done := make(chan error, 1)
	go func() {
		var err error
		shown, synced, err = kernel(there, back)
		done <- err
	}()
	expect.NoError(t, cmd.Wait())
	expect.NoError(t, <-done)
	expect.That(t, !strings.Contains(output.String(), "an alt text"), "in a notebook Show printed\n%s", &output)
	expect.Require(t, len(shown) == 5, "%d messages, want 5", len(shown))
	// The program waits after every message, except for the reports of a progress before its last.
	expect.Equal(t, synced, []int{1, 2, 3, 5}, "the program waited after")
	e, _, _ := parseImg(t, shown[0].Data[protocol.MIMETextHTML])
	expect.That(t, e.Alt == "an alt text", "the figure arrived as %+v", e)
	expect.That(t, strings.Contains(shown[1].Data[protocol.MIMETextHTML].(string), "<caption>"),
		"the table arrived as %v", shown[1].Data)
	expect.That(t, shown[2].Data[protocol.MIMETextMarkdown] == "$x^2$", "the text arrived as %v", shown[2].Data)
	expect.That(t, shown[3].DisplayID != "" && shown[3].DisplayID == shown[4].DisplayID,
		"the progress has the ids %q and %q", shown[3].DisplayID, shown[4].DisplayID)
	got := shown[4].Data[protocol.MIMETextPlain].(string)
	expect.That(t, strings.HasPrefix(got, "PUCL: 1 of 2 steps in "), "the progress ended as %q", got)
}

// cell is the program of the cell.
func cell(t *testing.T) {
	expect.Require(t, gonbui.IsNotebook, "the environment does not say that this is a notebook")
	expect.NoError(t, Show(New(Figure{Title: "t", XLabel: "x", YLabel: "y"}), "an alt text"))
	expect.NoError(t, ShowTable(hostile))
	expect.NoError(t, ShowMarkdown("$x^2$"))
	p := NewProgress(nil, "PUCL", 2)
	p.Update(1, "")
	p.Done("")
}

// kernel collects the messages and acknowledges requests to synchronize; synced counts messages at each.
func kernel(there, back string) (shown []protocol.DisplayData, synced []int, err error) {
	in, err := os.Open(there)
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	out, err := os.OpenFile(back, os.O_WRONLY, 0)
	if err != nil {
		return nil, nil, err
	}
	defer out.Close()
	decoder, encoder := gob.NewDecoder(in), gob.NewEncoder(out)
	for {
		var data protocol.DisplayData
		if err := decoder.Decode(&data); errors.Is(err, io.EOF) {
			return shown, synced, nil
		} else if err != nil {
			return nil, nil, err
		}
		if value, ok := data.Data[protocol.MIMECommValue].(protocol.CommValue); ok {
			if err := encoder.Encode(&protocol.CommValue{Address: protocol.GonbuiSyncAckAddress, Value: value.Value}); err != nil {
				return nil, nil, err
			}
			synced = append(synced, len(shown))
			continue
		}
		shown = append(shown, data)
	}
}

// TestNotebookGone checks that Show fails rather than waits if the pipes of GoNB are closed.
func TestNotebookGone(t *testing.T) {
	if os.Getenv(cellEnv) != "" {
		expect.Error(t, Show(New(Figure{Title: "t", XLabel: "x", YLabel: "y"}), "alt"), "cannot be reached")
		p := NewProgress(nil, "", 1)
		p.Update(1, "")
		p.Done("")
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestNotebookGone$", "-test.timeout=20s")
	gone := filepath.Join(t.TempDir(), "gone")
	cmd.Env = append(os.Environ(), cellEnv+"=1", protocol.GONB_PIPE_ENV+"="+gone, protocol.GONB_PIPE_BACK_ENV+"="+gone)
	output, err := cmd.CombinedOutput()
	expect.That(t, err == nil, "%v\n%s", err, output)
}
