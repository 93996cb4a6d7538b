package launcher

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/expect"
)

func TestChoosePort(t *testing.T) {
	l := expect.Must(net.Listen("tcp4", "127.0.0.1:0"))(t)
	defer l.Close()
	taken := l.Addr().(*net.TCPAddr).Port
	_, err := choosePort(taken, defaultPort)
	expect.Error(t, err, "cannot be used: address already in use", "-port")
	err = newWorkshop(t).session().serveTheoryLab(context.Background(), t.TempDir(), theoryLabOptions{port: taken})
	expect.Error(t, err, "cannot be used", "-port")
	port := expect.Must(choosePort(0, defaultPort))(t)
	expect.That(t, port >= defaultPort && port < defaultPort+triedPorts, "chose %d", port)
}

func TestLabAddress(t *testing.T) {
	w := newWorkshop(t)
	expect.Equal(t, labURL(w.place, 8890, "secret"), "http://127.0.0.1:8890/lab/tree/notebooks?token=secret")
	w.file("notebooks/quickstart.ipynb", "{}")
	expect.Equal(t, labURL(w.place, 8890, "secret"),
		"http://127.0.0.1:8890/lab/tree/notebooks/quickstart.ipynb?token=secret")
	args := strings.Join(labArguments(w.place, 8890, false), " ") + " "
	contains(t, args, "--ServerApp.ip=127.0.0.1 ", "--ServerApp.port=8890 ", "--ServerApp.port_retries=0 ",
		"--ServerApp.open_browser=False ")
	expect.That(t, !strings.Contains(args, "token"),
		"the token is an argument, where everybody on the machine can read it")
	expect.That(t, json.Valid([]byte(labOverrides)), "JupyterLab could not read the overrides")
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
	expect.That(t, waitForLab(context.Background(), port, "secret") && asked == 3,
		"not ready after %d questions", asked)
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	expect.That(t, !waitForLab(ctx, port, "wrong"), "ready with the wrong token")
}

// JupyterLab does not use the port of the theory lab, which is served beside it.
func TestLabLeavesTheTheoryLabItsPort(t *testing.T) {
	w := newWorkshop(t)
	do, _, err := parse([]string{"lab", "-port", strconv.Itoa(theoryLabPort)})
	if err == nil {
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // nothing is prepared
		err = do(ctx, w.session())
	}
	expect.Require(t, errors.Is(err, errUsage), "%v, want wrong usage", err)
	contains(t, err.Error(), "the theory lab", "another port")
}

// The go command alone builds the page, in pure Go, without Python.
func TestTheoryLabBuilds(t *testing.T) {
	w := newWorkshop(t)
	w.program("go", strings.Replace(fakeGo, "run)\n",
		"run)\n\techo \"engine $GOMLX_BACKEND, cgo $CGO_ENABLED\" >> \"$CALLS\"\n", 1))
	t.Setenv("GOMLX_BACKEND", "xla:mine.so")
	status, stdout, _ := launchIn(t, w.place.root, "theory-lab", "-build")
	calls := w.called()
	expect.That(t, status == 0 && !strings.Contains(calls, "python"), "status %d, called %s", status, calls)
	contains(t, calls, "go run ./notebooks/theorylab -build "+w.place.out("theory-lab"), "engine go, cgo 0")
	contains(t, stdout, "Building the theory lab", "The page is in "+filepath.Join("notebooks", "out", "theory-lab"))

	t.Setenv("RUN_SAYS", "theorylab: the page has 5000000 bytes")
	status, _, stderr := launchIn(t, w.place.root, "theory-lab", "-build")
	expect.That(t, status == 1, "a build that fails: status %d", status)
	contains(t, stderr, "Building the theory lab failed", "5000000 bytes")
}

func TestTheoryLabServes(t *testing.T) {
	w := newWorkshop(t)
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	dir := filepath.Dir(w.file("notebooks/out/theory-lab/index.html", "the page"))
	port, err := choosePort(0, theoryLabPort)
	expect.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	done := make(chan error, 1)
	go func() { done <- w.session().serveTheoryLab(ctx, dir, theoryLabOptions{port: port, browser: true}) }()
	address := fmt.Sprintf("http://127.0.0.1:%d/", port)
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{}}
	var response *http.Response
	for range 100 {
		if response, err = client.Get(address); err == nil {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	expect.NoError(t, err)
	body, err := io.ReadAll(response.Body)
	expect.NoError(t, errors.Join(err, response.Body.Close()))
	expect.That(t, string(body) == "the page" && response.Header.Get("Cache-Control") == "no-cache",
		"%q, header %v", body, response.Header)
	stop()
	expect.Is(t, <-done, context.Canceled, "stopped with")
	contains(t, w.out.String(), "The theory lab is at", address, "Ctrl-C stops it")
}

// Beside JupyterLab the page is built once, at the first request. Until then a notice is served; after a failed build
// the reason is served.
func TestTheoryLabWhenBuilt(t *testing.T) {
	w := newWorkshop(t)
	dir := filepath.Dir(w.file("notebooks/out/theory-lab/index.html", "the page"))
	ask := func(h http.Handler) *httptest.ResponseRecorder {
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/", nil))
		return answer
	}
	for name, failure := range map[string]error{"built": nil, "failed": errors.New("no room")} {
		built, builds := make(chan bool), 0
		h := whenBuilt(func() (string, error) { builds++; <-built; return dir, failure })
		for range 2 {
			if a := ask(h); a.Code != http.StatusServiceUnavailable || !strings.Contains(a.Body.String(), "being built") {
				t.Errorf("%s: while it is built %d, %q", name, a.Code, a.Body)
			}
		}
		close(built)
		answer := ask(h)
		for range 100 {
			if answer.Code != http.StatusServiceUnavailable {
				break
			}
			time.Sleep(20 * time.Millisecond)
			answer = ask(h)
		}
		code, text := http.StatusOK, "the page"
		if failure != nil {
			code, text = http.StatusInternalServerError, "no room\n"
		}
		expect.That(t, answer.Code == code && answer.Body.String() == text && builds == 1,
			"%s: %d, %q after %d builds", name, answer.Code, answer.Body, builds)
	}
}
