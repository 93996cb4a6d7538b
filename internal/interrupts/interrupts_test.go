//go:build unix

package interrupts

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/expect"
)

// TestMain makes this test program wait for its end if the tests request it.
func TestMain(m *testing.M) {
	if os.Getenv("PUCL_TEST_WAITS") == "" {
		os.Exit(m.Run())
	}
	ctx := Context()
	fmt.Println("waiting")
	<-ctx.Done()
	os.Exit(7)
}

// A program ends in order at each signal. A program that outlives its terminal ignores that the terminal is closed.
func TestSignalsEndAProgramInOrder(t *testing.T) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) // programs then start with the default handling, even if nohup runs these tests
	defer signal.Reset(syscall.SIGHUP)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	for _, tt := range []struct {
		shell   string
		signals []syscall.Signal
	}{
		{`exec "$0"`, []syscall.Signal{syscall.SIGINT}}, {`exec "$0"`, []syscall.Signal{syscall.SIGTERM}},
		{`exec "$0"`, []syscall.Signal{syscall.SIGHUP}}, {`trap "" HUP; exec "$0"`, []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM}},
	} {
		cmd := exec.CommandContext(ctx, "sh", "-c", tt.shell, os.Args[0])
		cmd.Env = append(os.Environ(), "PUCL_TEST_WAITS=1")
		out := expect.Must(cmd.StdoutPipe())(t)
		expect.NoError(t, cmd.Start())
		line, err := bufio.NewReader(out).ReadString('\n')
		expect.That(t, line == "waiting\n", "%q, %v", line, err)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			cmd.Wait() // its status is checked below
		}()
		for i, s := range tt.signals {
			expect.NoError(t, cmd.Process.Signal(s))
			if i == len(tt.signals)-1 {
				break
			}
			select {
			case <-ended:
				t.Errorf("%s: it ended at once at %s", tt.shell, s)
			case <-time.After(200 * time.Millisecond):
			}
		}
		<-ended
		expect.That(t, cmd.ProcessState.ExitCode() == 7, "%s, %v: %s", tt.shell, tt.signals, cmd.ProcessState)
	}
}
