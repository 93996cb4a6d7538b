package launcher

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/puclab/puclab/internal/naming"
)

// problem is an error with a remedy: what failed, what to do, and, if useful, the last lines of the failed program.
type problem struct {
	What string // a sentence
	Mend string // the remedy, "" if unknown
	Tail string // last output of the failed program, "" if it adds nothing
	Err  error  // the cause, for errors.Is
}

func (p *problem) Error() string {
	text := p.What
	if p.Mend != "" {
		text += "\n" + p.Mend
	}
	if p.Tail != "" {
		text += "\nIts last lines were:\n" + indent(p.Tail, "    ")
	}
	return text
}

func (p *problem) Unwrap() error { return p.Err }

// errUsage is wrapped by errors in the command line; main then exits with 2.
var errUsage = errors.New("wrong usage")

func usagef(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errUsage, fmt.Sprintf(format, args...))
}

// usageError is a wrong usage of a known command, so that its flags can be shown.
type usageError struct {
	error
	help string
}

func (e *usageError) Unwrap() error { return e.error }

// ofCommand adds the usage of the command to a wrong usage; other errors stay unchanged.
func ofCommand(c command, err error) error {
	if !errors.Is(err, errUsage) {
		return err
	}
	line, flags := synopsis(c)
	return &usageError{err, fmt.Sprintf("%s\n%s\n\"go run ./notebooks help %s\" says more.\n", line, flags, c.name)}
}

// checkNames returns a wrong usage for the first of given that is not in all, with the closest name. Kind is the kind
// of the names.
func checkNames(command, kind string, all []string, given ...string) error {
	for _, name := range given {
		if !slices.Contains(all, name) {
			return usagef("%sthere is no %s %q%s; there are %s", command, kind, name, naming.DidYouMean(name, all), strings.Join(all, ", "))
		}
	}
	return nil
}

func indent(text, by string) string {
	return by + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+by)
}

// lastLines returns the last n lines of text, with very long ones truncated.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	lines = lines[max(0, len(lines)-n):]
	for i, line := range lines {
		if runes := []rune(line); len(runes) > maxTailLine {
			lines[i] = string(runes[:maxTailLine]) + " …"
		}
	}
	return strings.Join(lines, "\n")
}

// maxTailLine is the number of displayed characters per line of a failed program.
const maxTailLine = 300

// ofSystem adds a remedy to an unwrapped error of the system.
func ofSystem(err error) error {
	var p *problem
	switch {
	case errors.As(err, &p):
		return err
	case errors.Is(err, syscall.ENOSPC):
		return &problem{What: "The disk is full: " + err.Error() + ".", Mend: "Make room and start again.", Err: err}
	case errors.Is(err, fs.ErrPermission):
		return &problem{What: "No permission: " + err.Error() + ".",
			Mend: "Look at who owns the checkout; its folder notebooks has to be writable.", Err: err}
	}
	return err
}

// The patterns in the output of pip and go that identify causes of failure, in the order of the search.
var signs = []struct {
	sign       *regexp.Regexp
	what, mend string
	fetching   bool // whether the item being fetched matters
}{
	{regexp.MustCompile(`(?i)no space left on device|disk quota exceeded|not enough space on`),
		"the disk is full", "Make room (the environment wants about 1 GB, with -gpu about 5 GB more) and start again.", false},
	{regexp.MustCompile(`DO NOT MATCH THE HASHES|checksum mismatch|SECURITY ERROR`), "what came is not what this project pinned",
		"Something on the way changed the download. Try again on another network or without a mirror; do not install it by hand.", true},
	{regexp.MustCompile(`(?i)CERTIFICATE_VERIFY_FAILED|x509: |certificate signed by unknown authority`),
		"the server's certificate was refused",
		"Behind a company's proxy, tell pip (PIP_CERT) and the system about its certificate, then start again.", true},
	{regexp.MustCompile(`(?i)temporary failure in name resolution|name or service not known|nodename nor servname|no such host|` +
		`network is unreachable|connection refused|connection reset|max retries exceeded|newconnectionerror|connecttimeout|` +
		`readtimeout|timed out|i/o timeout|tls handshake timeout|proxyerror|proxyconnect|failed to establish a new connection|` +
		`no route to host|dial tcp|module lookup disabled by GOPROXY=off`),
		"the network could not be reached",
		"Look at the connection (and at HTTPS_PROXY behind a proxy) and start again: it carries on where it stopped.", true},
	{regexp.MustCompile(`(?i)no matching distribution found|could not find a version that satisfies`),
		"there is no ready-made package for this machine and this version of Python",
		"Python 3.10 to 3.14 on Linux or macOS work; PUCL_PYTHON=/path/to/python chooses one. A mirror may also lack the package.", true},
	{regexp.MustCompile(`(?i)permission denied|read-only file system|operation not permitted`),
		"a file could not be written", "Look at who owns the checkout and the caches of pip and Go, and start again.", false},
}

// pipIgnored matches pip's lines about pins for other machines.
var pipIgnored = regexp.MustCompile(`(?m)^Ignoring \S+: markers .*\n`)

// classify turns the failure of a program into a problem. doing names the action, as in "installing the Python
// packages"; output is the program's output.
func classify(doing, output string, err error) *problem {
	p := &problem{What: doing + " failed.", Tail: lastLines(pipIgnored.ReplaceAllString(output, ""), 12), Err: err}
	if errors.Is(err, syscall.ENOSPC) {
		output += "\nno space left on device"
	}
	for _, s := range signs {
		if !s.sign.MatchString(output) {
			continue
		}
		p.What = doing + " failed: " + s.what
		if item := beingFetched(output); item != "" && s.fetching {
			p.What += ", while fetching " + item
		}
		p.What += "."
		p.Mend = s.mend
		return p
	}
	if output == "" {
		p.What = fmt.Sprintf("%s failed: %v.", doing, err)
	}
	return p
}

// fetched matches pip's or go's line about a download: a package, a module and its version, or a module at a version.
var fetched = regexp.MustCompile(`(?m)^\s*(?:Collecting|Downloading|ERROR: No matching distribution found for) (\S+)|` +
	`^go: downloading (\S+ \S+)|(?:^|\s)([^\s:"]+@v[^\s:,"]+): `)

// beingFetched returns the last item that pip or go fetched according to its output, "" if it names none.
func beingFetched(output string) string {
	all := fetched.FindAllStringSubmatch(output, -1)
	if len(all) == 0 {
		return ""
	}
	last := all[len(all)-1]
	return strings.TrimRight(last[1]+last[2]+last[3], ";,")
}
