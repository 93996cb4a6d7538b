package datasets

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/puclab/puclab/internal/filelock"
)

// FetchOptions says how to download. The zero value is ready to use.
type FetchOptions struct {
	Client      *http.Client        // nil means http.DefaultClient
	IdleTimeout time.Duration       // give up on an address that sends nothing for so long; 0 means 30 seconds
	Progress    func(FetchProgress) // called as bytes arrive, from the goroutine that called Fetch; nil means not at all
}

// FetchProgress says how far the download of a file has come.
type FetchProgress struct {
	Name        string
	Done, Total int64 // in bytes; Done includes what an earlier, broken-off download had left
}

// ErrOffline is the cause in a [FetchError] where the environment variable PUCL_OFFLINE forbade a download.
var ErrOffline = errors.New("downloads are switched off by the environment variable " + EnvOffline)

// FetchError says that a file could not be downloaded, why, and how to copy it by hand. errors.Is and errors.As look
// through it at every cause.
type FetchError struct {
	File   RemoteFile
	Dir    string
	Causes []error // one for each address that was tried, or the one reason why none was
}

// Error lists the causes, and then the folder, size, checksum and addresses of the file.
func (e *FetchError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "datasets: could not download %s", e.File.Name)
	for _, cause := range e.Causes {
		fmt.Fprintf(&b, "\n  %v", cause)
		if fromDisk(cause) {
			b.WriteString(": make room or mend what is wrong there, and try again")
		}
	}
	fmt.Fprintf(&b, "\nTo copy it by hand, put %s (%d bytes, %s) into the folder %s; it can be had from",
		e.File.Name, e.File.Size, e.File.sums(), e.Dir)
	for _, url := range e.File.URLs {
		fmt.Fprintf(&b, "\n  %s", url)
	}
	return b.String()
}

// Unwrap returns the causes.
func (e *FetchError) Unwrap() []error { return e.Causes }

// Fetch makes sure that the folder dir holds file, and downloads it where it is missing. The folder is made if need be.
//
// A file that is there already is checked by size and SHA-256 and then left alone, with no word to the network; one that
// differs is an error, and is left alone too. Where nobody published the SHA-256, that of the first whole file that came
// is written beside it, to a file named file.Name + ".sha256", and holds from then on.
//
// A download goes to a neighbor named file.Name + ".part" and takes its final name only when every byte is checked, so
// the final name never stands for half a file. A download that broke off is taken up where it stopped, at the next address
// if the first one keeps failing. Whatever does not match the checksum is thrown away.
//
// Several goroutines or programs may fetch one file into one folder at once: one downloads, the others wait for it (on
// a file system without locks each downloads for itself, to a part of its own). Canceling ctx stops a download or a
// wait and keeps the part that came. Every error is a *[FetchError], save that for a file description that makes no
// sense.
func Fetch(ctx context.Context, dir string, file RemoteFile, opts FetchOptions) error {
	if err := file.validate(); err != nil {
		return err
	}
	fail := func(causes ...error) error {
		if errors.Join(causes...) == nil {
			return nil
		}
		return &FetchError{File: file, Dir: dir, Causes: causes}
	}
	path := filepath.Join(dir, file.Name)
	if done, err := file.present(path); done || err != nil {
		return fail(err)
	}
	if file.SHA256 == "" { // a file that was here before, or is here in part, says what to expect
		sum, err := readRecord(path)
		if err != nil {
			return fail(err)
		}
		file.SHA256, file.recorded = sum, sum != ""
	}
	if Offline() {
		return fail(ErrOffline)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fail(err)
	}

	part := path + ".part"
	unlock, err := acquireLock(ctx, path+".lock")
	switch {
	case errors.Is(err, filelock.ErrNone):
		if part, err = privatePart(dir, file.Name); err != nil {
			return fail(err)
		}
		defer os.Remove(part) // nobody else could take it up; after success the name is gone already
	case err != nil:
		return fail(err)
	default:
		defer unlock()
	}
	if done, err := file.present(path); done || err != nil { // another program may have brought it meanwhile
		return fail(err)
	}
	t := transfer{file: file, part: part, client: opts.Client, idle: opts.IdleTimeout, progress: opts.Progress}
	if causes := t.fromAny(ctx); len(causes) > 0 {
		if t.have() == 0 {
			os.Remove(part) // an empty part is of no use to anybody
		}
		return fail(causes...)
	}
	if err = os.Rename(part, path); err == nil {
		err = syncPath(dir, true)
	}
	if err == nil && file.SHA256 == "" {
		_, err = file.present(path) // writes the record
	}
	return fail(err)
}

// privatePart makes an empty file for one download alone.
func privatePart(dir, name string) (string, error) {
	f, err := os.CreateTemp(dir, name+".*.part")
	if err != nil {
		return "", err
	}
	return f.Name(), errors.Join(f.Chmod(0o644), f.Close()) // as readable as any other download
}
