package launcher

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestChoosePort(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	taken := l.Addr().(*net.TCPAddr).Port
	if _, err := choosePort(taken, defaultPort); err == nil {
		t.Errorf("port %d was taken twice", taken)
	} else {
		contains(t, err.Error(), "cannot be used: address already in use", "-port")
	}
	if port, err := choosePort(0, defaultPort); err != nil || port < defaultPort || port >= defaultPort+triedPorts {
		t.Errorf("chose %d, %v", port, err)
	}
}

func TestLabAddress(t *testing.T) {
	w := newWorkshop(t)
	if got, want := labURL(w.place, 8890, "secret"), "http://127.0.0.1:8890/lab/tree/notebooks?token=secret"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	w.file("notebooks/quickstart.ipynb", "{}")
	if got, want := labURL(w.place, 8890, "secret"), "http://127.0.0.1:8890/lab/tree/notebooks/quickstart.ipynb?token=secret"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	args := labArguments(w.place, 8890, false)
	for _, want := range []string{"--ServerApp.ip=127.0.0.1", "--ServerApp.port=8890", "--ServerApp.port_retries=0", "--ServerApp.open_browser=False"} {
		if !slices.Contains(args, want) {
			t.Errorf("%s is not among %q", want, args)
		}
	}
	if strings.Contains(strings.Join(args, " "), "token") {
		t.Error("the token is an argument, where everybody on the machine can read it")
	}
}

func TestWaitForLab(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		if asked < 3 || r.Header.Get("Authorization") != "token secret" || r.URL.Path != "/api/status" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	port := server.Listener.Addr().(*net.TCPAddr).Port
	if !waitForLab(context.Background(), port, "secret") || asked != 3 {
		t.Errorf("not ready after %d questions", asked)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	if waitForLab(ctx, port, "wrong") {
		t.Error("ready with the wrong token")
	}
}

func TestLabOverridesAreJSON(t *testing.T) {
	if !json.Valid([]byte(labOverrides)) {
		t.Error("JupyterLab could not read them")
	}
}

// JupyterLab does not take the port at which the theory lab is served beside it, or it would find it in use.
func TestLabLeavesTheTheoryLabItsPort(t *testing.T) {
	w := newWorkshop(t)
	do, _, err := parse([]string{"lab", "-port", strconv.Itoa(theoryLabPort)})
	if err == nil {
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // nothing is prepared
		err = do(ctx, w.session())
	}
	if !errors.Is(err, errUsage) {
		t.Fatalf("%v, want wrong usage", err)
	}
	contains(t, err.Error(), "the theory lab", "another port")
}
