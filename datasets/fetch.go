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

// FetchOptions configures a download. The zero value is usable.
type FetchOptions struct {
	Client      *http.Client        // nil means http.DefaultClient
	IdleTimeout time.Duration       // abandon an address that sends nothing for this long; 0 means 30 seconds
	Progress    func(FetchProgress) // called as bytes arrive, from the goroutine that called Fetch; nil for none
}

// FetchProgress is the progress of a download.
type FetchProgress struct {
	Name        string
	Done, Total int64 // in bytes; Done includes bytes of an earlier, interrupted download
}

// ErrOffline is the cause in a [FetchError] if the environment variable PUCL_OFFLINE forbade a download.
var ErrOffline = errors.New("downloads are switched off by the environment variable " + EnvOffline)

// FetchError reports a failed download, its causes, and how to copy the file by hand. errors.Is and errors.As examine
// every cause.
type FetchError struct {
	File   RemoteFile
	Dir    string
	Causes []error // one for each address tried, or the single reason why none was tried
}

// Error returns the causes, and then the folder, size, checksum and addresses of the file.
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

// Fetch ensures that the folder dir holds file, and downloads it if it is missing. It creates the folder if necessary.
//
// An existing file is verified by size and SHA-256 without network access; a different file is an error. In both cases
// it is not modified. If no SHA-256 is published, that of the first complete file is written beside it, to file.Name +
// ".sha256", and is required from then on.
//
// A download is written to file.Name + ".part" in the same folder and renamed when every byte is verified, so the final
// name never holds a partial file. An interrupted download is resumed, from the next address if the first one keeps
// failing. Content that does not match the checksum is discarded.
//
// Several goroutines or programs may fetch one file into one folder concurrently: one downloads and the others wait. On
// a file system without locks each downloads to its own part. Canceling ctx stops a download or a wait and keeps the
// part. Every error is a *[FetchError], except for an invalid file description.
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
	if file.SHA256 == "" { // an existing file or part determines the expected content
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
		defer os.Remove(part) // nobody else could resume it; after success the name no longer exists
	case err != nil:
		return fail(err)
	default:
		defer unlock()
	}
	if done, err := file.present(path); done || err != nil { // another program may have downloaded it meanwhile
		return fail(err)
	}
	t := transfer{file: file, part: part, client: opts.Client, idle: opts.IdleTimeout, progress: opts.Progress}
	if causes := t.fromAny(ctx); len(causes) > 0 {
		if t.have() == 0 {
			os.Remove(part) // an empty part is useless
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

// privatePart creates an empty file for a single download.
func privatePart(dir, name string) (string, error) {
	f, err := os.CreateTemp(dir, name+".*.part")
	if err != nil {
		return "", err
	}
	return f.Name(), errors.Join(f.Chmod(0o644), f.Close()) // the mode of other downloads
}
