package launcher

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/wholefile"
)

// The page is built by the go command alone, in pure Go; Python has no part in it.
func TestTheoryLabBuilds(t *testing.T) {
	w := newWorkshop(t)
	tell := strings.Replace(fakeGo, "run)\n", `run)
	echo "engine $GOMLX_BACKEND, cgo $CGO_ENABLED" >> "$CALLS"
`, 1)
	if err := wholefile.Keep(filepath.Join(os.Getenv("PATH"), "go"), []byte(tell), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOMLX_BACKEND", "xla:mine.so")
	status, stdout, _ := launchIn(t, w.place.root, "theory-lab", "-build")
	calls := w.called()
	if status != 0 || strings.Contains(calls, "python") {
		t.Errorf("status %d, called %s", status, calls)
	}
	contains(t, calls, "go run ./notebooks/theorylab -build "+w.place.out("theory-lab"), "engine go, cgo 0")
	contains(t, stdout, "Building the theory lab", "The page is in "+filepath.Join("notebooks", "out", "theory-lab"))

	t.Setenv("RUN_SAYS", "theorylab: the page has 5000000 bytes")
	status, _, stderr := launchIn(t, w.place.root, "theory-lab", "-build")
	if status != 1 {
		t.Errorf("a build that fails: status %d", status)
	}
	contains(t, stderr, "Building the theory lab failed", "5000000 bytes")
}

func TestTheoryLabServes(t *testing.T) {
	w := newWorkshop(t)
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	dir := filepath.Dir(w.file("notebooks/out/theory-lab/index.html", "the page"))
	port, err := choosePort(0, theoryLabPort)
	if err != nil {
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		t.Fatal(err)
	}
	if string(body) != "the page" || response.Header.Get("Cache-Control") != "no-cache" {
		t.Errorf("%q, header %v", body, response.Header)
	}
	stop()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("stopped with %v", err)
	}
	contains(t, w.out.String(), "The theory lab is at", address, "Ctrl-C stops it")
}

// Beside JupyterLab the page is built when it is asked for first, once; until then it says so, and a build that fails says why.
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
		if answer.Code != code || answer.Body.String() != text || builds != 1 {
			t.Errorf("%s: %d, %q after %d builds", name, answer.Code, answer.Body, builds)
		}
	}
}

func TestTheoryLabPort(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	w := newWorkshop(t)
	err = w.session().serveTheoryLab(context.Background(), os.TempDir(), theoryLabOptions{port: l.Addr().(*net.TCPAddr).Port})
	if err == nil {
		t.Fatal("served at a port that is taken")
	}
	contains(t, err.Error(), "cannot be used", "-port")
}
