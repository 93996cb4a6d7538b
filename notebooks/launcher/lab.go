package launcher

import (
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/puclab/puclab/internal/liveline"
	"github.com/puclab/puclab/internal/wholefile"
)

const (
	defaultPort = 8888
	triedPorts  = 20 // from the first on, if the user names none
	labReady    = 60 * time.Second
)

// labOptions are the flags of the lab command.
type labOptions struct {
	port    int // 0 means the first free one from defaultPort on
	browser bool
	set     []string // variables for the notebooks, as "NAME=value"
}

// runLab starts JupyterLab for this machine only and runs until it ends or the user stops it.
func (s *session) runLab(ctx context.Context, o labOptions) (err error) {
	port, err := choosePort(o.port, defaultPort)
	if err != nil {
		return err
	}
	if o.port == 0 && port != defaultPort {
		s.console.Linef("Port %d is in use; taking %d.", defaultPort, port)
	}
	s.noteCompiler()
	overrides := filepath.Join(labData(s.place), "lab", "settings", "overrides.json")
	if err := wholefile.Keep(overrides, []byte(labOverrides), 0o644); err != nil {
		return err
	}
	if err := s.trustCommitted(ctx); err != nil {
		return err
	}
	token := rand.Text()
	log, err := openLog(s.place.out("lab.log"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()

	serverCtx, end := context.WithCancel(ctx)
	defer end()
	// Not an argument: arguments are visible to all users.
	variables := append([]string{"JUPYTER_TOKEN=" + token}, o.set...)
	server := script{name: "lab_server.py", log: log, data: labData(s.place), set: variables, stop: func(p *os.Process) error {
		s.console.Set("")
		s.console.Linef("Stopping JupyterLab and its kernels …")
		return p.Signal(syscall.SIGTERM)
	}}
	cmd, err := s.start(serverCtx, server, labArguments(s.place, port, o.browser)...)
	if err != nil {
		return err
	}
	s.serveTheoryLabBeside(serverCtx)
	s.console.Set("JupyterLab is starting …")
	var ready atomic.Bool
	go func() {
		if !waitForLab(serverCtx, port, token) {
			end()
			return
		}
		ready.Store(true)
		s.console.Set("")
		s.console.Linef("JupyterLab is at\n\n    %s\n\nfor this machine only. The log is %s. Ctrl-C stops it and all its kernels.",
			labURL(s.place, port, token), s.place.relative(log.Name()))
	}()
	err = wait(serverCtx, cmd)
	switch {
	case ctx.Err() != nil:
		return err
	case serverCtx.Err() != nil:
		return errors.Join(s.labFailed(log.Name(), errors.New("no answer")), err)
	case err != nil || !ready.Load():
		return s.labFailed(log.Name(), err)
	}
	s.console.Linef("JupyterLab has ended.")
	return nil
}

// labArguments returns the arguments of JupyterLab.
func labArguments(p place, port int, browser bool) []string {
	args := []string{
		"--ServerApp.ip=127.0.0.1", "--ServerApp.port=" + strconv.Itoa(port), "--ServerApp.port_retries=0",
		"--ServerApp.root_dir=" + p.root, "--ServerApp.preferred_dir=" + p.notebooks(),
		"--ServerApp.open_browser=" + map[bool]string{true: "True", false: "False"}[browser],
		"--LabApp.default_url=" + labPage(p),
		// Only the kernel of this project, not the machine's other kernels.
		"--KernelSpecManager.allowed_kernelspecs=" + kernelName, "--KernelSpecManager.ensure_native_kernel=False",
		"--MultiKernelManager.default_kernel_name=" + kernelName,
		"--LabApp.extension_manager=readonly",
		// It would try the language servers of other languages, which write files to the user's home.
		"--LanguageServerManager.autodetect=False"}
	if os.Geteuid() == 0 { // as in most containers
		args = append(args, "--ServerApp.allow_root=True")
	}
	return args
}

// labPage returns the first page of the lab: the quickstart, or the file browser if there is none.
func labPage(p place) string {
	if _, err := os.Stat(filepath.Join(p.notebooks(), quickstart+".ipynb")); err == nil {
		return "/lab/tree/notebooks/" + quickstart + ".ipynb"
	}
	return "/lab/tree/notebooks"
}

func labURL(p place, port int, token string) string {
	return fmt.Sprintf("http://127.0.0.1:%d%s?token=%s", port, labPage(p), token)
}

// choosePort returns the requested port, or if that is 0 the first free one from first on.
func choosePort(asked, first int) (int, error) {
	from, to := first, first+triedPorts-1
	if asked != 0 {
		from, to = asked, asked
	}
	var err error
	for port := from; port <= to; port++ {
		var l net.Listener
		if l, err = net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err == nil {
			return port, l.Close()
		}
	}
	why := err
	if system := syscall.Errno(0); errors.As(err, &system) {
		why = system
	}
	p := &problem{What: fmt.Sprintf("None of the ports %d to %d can be used: %v.", from, to, why),
		Mend: "Name another one with -port.", Err: err}
	if asked != 0 {
		p.What = fmt.Sprintf("Port %d cannot be used: %v.", asked, why)
		p.Mend = "Another lab may be open. Name another port with -port, or leave -port out to get a free one."
	}
	return 0, p
}

// waitForLab polls until the server answers.
func waitForLab(ctx context.Context, port int, token string) bool {
	ctx, cancel := context.WithTimeout(ctx, labReady)
	defer cancel()
	client := &http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{}} // no proxy: it is this machine
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d/api/status", port), nil)
	if err != nil {
		return false
	}
	req.Header.Set("Authorization", "token "+token)
	for ; ctx.Err() == nil; time.Sleep(150 * time.Millisecond) {
		if resp, err := client.Do(req); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return true
			}
		}
	}
	return false
}

// portTaken matches Jupyter's messages about a used port.
var portTaken = regexp.MustCompile(`(?i)already in use|port \d+ is not available`)

func (s *session) labFailed(logPath string, err error) error {
	s.console.Set("")
	data, readErr := os.ReadFile(logPath)
	if readErr != nil {
		return readErr
	}
	p := classify("Starting JupyterLab", string(data), err)
	if portTaken.Match(data) {
		p = &problem{What: "The port was taken by another program in the meantime.",
			Mend: "Start again, or name another one with -port.", Err: err}
	}
	return p
}

// labOverrides are this project's defaults for JupyterLab's settings: no prompt about fetching news.
const labOverrides = `{"@jupyterlab/apputils-extension:notification": ` +
	`{"checkForUpdates": false, "doNotDisturbMode": false, "fetchNews": "false"}}`

// trustCommitted makes JupyterLab show the figures in the committed notebooks, as it does for notebooks that were run
// here. It trusts only notebooks that are identical to the commit, like the running code.
func (s *session) trustCommitted(ctx context.Context) error {
	git := func(args ...string) ([]string, error) {
		out, err := child{dir: s.place.notebooks()}.run(ctx, "git", append([]string{"ls-files", "-z"}, args...)...)
		return strings.Split(strings.TrimRight(out, "\x00"), "\x00"), err
	}
	tracked, err := git("--", "*.ipynb")
	changed, failed := git("-m", "--", "*.ipynb")
	if err != nil || failed != nil {
		return ctx.Err() // no git, or no repository: the state of the notebooks is unknown
	}
	args := []string{"-m", "nbformat.sign"}
	for _, name := range tracked {
		if name != "" && !strings.Contains(name, "/") && !slices.Contains(changed, name) {
			args = append(args, filepath.Join(s.place.notebooks(), name))
		}
	}
	if len(args) == 2 {
		return nil
	}
	out, err := child{dir: s.place.notebooks(), env: jupyterEnv(s.place, labData(s.place))}.run(ctx, s.place.bin("python"), args...)
	if err != nil && ctx.Err() == nil {
		s.console.Linef("The committed notebooks could not be marked as trusted, so their figures show only after a run: %s",
			liveline.Clip(lastLines(out, 1), 200))
	}
	return ctx.Err()
}
