package launcher

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// theoryLabPackage is the program that builds the page. It is built and run separately from the launcher, since it
// links gomlx.
const theoryLabPackage = "./notebooks/theorylab"

// theoryLabPort is the default port of the page, distinct from JupyterLab's ports. The notebooks link to cases there.
const theoryLabPort = 8870

// theoryLabOptions are the flags of the theory-lab command.
type theoryLabOptions struct {
	build   bool // only build the page
	port    int  // 0 means the first free one from theoryLabPort on
	browser bool
}

func theoryLabCommand(flags *flag.FlagSet) work {
	var o theoryLabOptions
	flags.BoolVar(&o.build, "build", false, "build the page and end")
	flags.IntVar(&o.port, "port", 0, fmt.Sprintf("the `port` to use (default: the first free one from %d on)", theoryLabPort))
	flags.BoolVar(&o.browser, "browser", true, "open the browser; -browser=false only prints the address")
	return func(ctx context.Context, s *session, _ []string) error {
		if o.port < 0 || o.port > 65535 {
			return usagef("theory-lab: there is no port %d", o.port)
		}
		dir, err := s.buildTheoryLab(ctx)
		if err != nil || o.build {
			return err
		}
		return s.serveTheoryLab(ctx, dir, o)
	}
}

// buildTheoryLab builds the page and returns its folder. It requires no environment: the pure-Go engine computes the
// initial content of the page.
func (s *session) buildTheoryLab(ctx context.Context) (dir string, err error) {
	if s.goTool, err = findGo(ctx, s.place); err != nil {
		return "", err
	}
	dir = s.place.out("theory-lab")
	s.console.Linef("Building the theory lab …")
	env := s.goTool.goEnv("CGO_ENABLED=0", "GOMLX_BACKEND=go")
	err = child{dir: s.place.root, env: env}.
		do(ctx, "Building the theory lab", s.goTool.goCommand(), "run", theoryLabPackage, "-build", dir)
	if err == nil {
		s.console.Linef("The page is in %s.", s.place.relative(dir))
	}
	return dir, err
}

// serveTheoryLab serves the page for this machine only until the user stops it.
func (s *session) serveTheoryLab(ctx context.Context, dir string, o theoryLabOptions) error {
	port, err := choosePort(o.port, theoryLabPort)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return err
	}
	address := fmt.Sprintf("http://%s/", l.Addr())
	s.console.Linef("The theory lab is at\n\n    %s\n\nfor this machine only. Ctrl-C stops it.", address)
	if port != theoryLabPort {
		s.console.Linef("Links in the notebooks lead to port %d, so they do not find it here.", theoryLabPort)
	}
	if opener := browserOpener(); o.browser && opener != "" {
		go child{}.run(ctx, opener, address) // the address is printed in any case
	}
	return serve(ctx, l, fresh(http.FileServer(http.Dir(dir))))
}

// serve handles requests to l until ctx is done.
func serve(ctx context.Context, l net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return ctx.Err()
}

// serveTheoryLabBeside serves the page beside JupyterLab, for the links of the notebooks, until ctx is done. The page
// is built at the first request. If the port is in use, another lab most likely serves it.
func (s *session) serveTheoryLabBeside(ctx context.Context) {
	l, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(theoryLabPort)))
	if err != nil {
		s.console.Linef("The theory lab is not served by this lab: port %d is in use.", theoryLabPort)
		return
	}
	go func() {
		if err := serve(ctx, l, whenBuilt(func() (string, error) { return s.buildTheoryLab(ctx) })); ctx.Err() == nil {
			s.console.Linef("The theory lab is not served any more: %v", err)
		}
	}()
}

// building is the page shown during the build. A reload keeps the case in the address.
const building = `<!doctype html><meta charset="utf-8"><title>Theory lab</title>
<p>The theory lab is being built; it opens here within a minute or so.</p><script>setTimeout(() => location.reload(), 1000)</script>`

// whenBuilt serves the folder that build returns. The first request starts build, and until it ends a notice is served.
func whenBuilt(build func() (dir string, err error)) http.Handler {
	var start sync.Once
	var files atomic.Pointer[http.Handler]
	return fresh(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start.Do(func() {
			go func() {
				dir, err := build()
				handler := http.FileServer(http.Dir(dir))
				if err != nil {
					handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
						http.Error(w, err.Error(), http.StatusInternalServerError)
					})
				}
				files.Store(&handler)
			}()
		})
		if handler := files.Load(); handler != nil {
			(*handler).ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprint(w, building)
	}))
}

// fresh makes browsers revalidate cached files, as the page may have been rebuilt.
func fresh(files http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-cache")
		files.ServeHTTP(w, r)
	})
}

// browserOpener returns the program that opens an address in the user's browser, "" without a screen.
func browserOpener() string {
	if runtime.GOOS == "darwin" {
		return "open"
	}
	if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return ""
	}
	path, err := exec.LookPath("xdg-open")
	if err != nil {
		return ""
	}
	return path
}
