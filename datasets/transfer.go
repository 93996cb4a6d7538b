package datasets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	neturl "net/url"
	"os"
	"strconv"
	"time"
)

const (
	defaultIdleTimeout = 30 * time.Second
	// triesPerURL bounds how often one address is asked again after it broke off.
	triesPerURL = 5
)

// transfer brings the bytes of one file into its part.
type transfer struct {
	file     RemoteFile
	part     string
	client   *http.Client
	idle     time.Duration
	progress func(FetchProgress)
}

// errStale says that the bytes which an earlier download had left are of no use; they are gone by then.
var errStale = errors.New("the bytes of an earlier download do not fit")

// diskError is a failure on this side, which no other address can cure.
type diskError struct{ error }

func (e diskError) Unwrap() error { return e.error }

// fromAny tries the addresses in turn. It returns nothing once the part holds the whole, checked file, and otherwise
// one cause for each address that it tried.
func (t transfer) fromAny(ctx context.Context) (causes []error) {
	for _, url := range t.file.URLs {
		err := t.fromOne(ctx, url)
		if err == nil {
			return nil
		}
		causes = append(causes, fmt.Errorf("%s: %w", url, err))
		if ctx.Err() != nil || errors.As(err, new(diskError)) {
			break
		}
	}
	return causes
}

// fromOne asks one address, and asks it again as long as that helps: after a break-off that left more bytes than before
// it, and after an old part that turned out to be useless.
func (t transfer) fromOne(ctx context.Context, url string) error {
	for try := 1; ; try++ {
		before := t.have()
		err := t.attempt(ctx, url)
		if err == nil {
			return nil
		}
		again := errors.Is(err, errStale) || t.have() > before
		if !again || try == triesPerURL || ctx.Err() != nil || errors.As(err, new(diskError)) {
			return err
		}
	}
}

// have returns the size of the part, 0 where there is none.
func (t transfer) have() int64 {
	if info, err := os.Stat(t.part); err == nil {
		return info.Size()
	}
	return 0
}

// attempt asks for the bytes that the part lacks, appends them, and checks the whole.
func (t transfer) attempt(ctx context.Context, url string) error {
	part, err := os.OpenFile(t.part, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return diskError{err}
	}
	defer part.Close()
	start, err := part.Seek(0, io.SeekEnd)
	if err != nil {
		return diskError{err}
	}
	if start != t.file.Size {
		if start, err = t.receive(ctx, url, part, start); err != nil {
			return err
		}
	}
	if _, err := part.Seek(0, io.SeekStart); err != nil {
		return diskError{err}
	}
	_, err = t.file.check(part)
	if errors.Is(err, errMismatch) {
		return t.discard(part, start, err)
	}
	if err == nil {
		err = part.Sync() // before the rename: a crash must not leave the final name on an empty file
	}
	if err := cmp.Or(err, part.Close()); err != nil {
		return diskError{err}
	}
	return nil
}

// discard empties the part. The cause is the address's fault only if all bytes came from it.
func (t transfer) discard(part *os.File, start int64, cause error) error {
	if err := part.Truncate(0); err != nil {
		return diskError{err}
	}
	if start > 0 {
		return fmt.Errorf("%w (%w)", errStale, cause)
	}
	return cause
}

// receive asks url for the file from byte start on and writes it to the part. It returns where the bytes that came
// begin: at start, or at 0 from a server that can only send the whole.
func (t transfer) receive(ctx context.Context, url string, part *os.File, start int64) (from int64, err error) {
	idle := cmp.Or(max(t.idle, 0), defaultIdleTimeout)
	errIdle := fmt.Errorf("nothing came for %v", idle)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	alarm := time.AfterFunc(idle, func() { cancel(errIdle) })
	defer alarm.Stop()

	response, err := t.ask(ctx, url, start)
	if err != nil {
		return start, causeOf(ctx, err)
	}
	defer response.Body.Close()
	length := response.ContentLength // -1 where the server does not say
	switch response.StatusCode {
	case http.StatusOK: // the whole file, whether or not a range was asked for
		if length >= 0 && length != t.file.Size {
			return start, fmt.Errorf("%w: %d bytes, not %d", errMismatch, length, t.file.Size)
		}
		if err := part.Truncate(0); err != nil {
			return start, diskError{err}
		}
		start = 0
	case http.StatusPartialContent:
		header := response.Header.Get("Content-Range")
		first, total, ok := contentRange(header)
		if !ok || first != start {
			return start, t.discard(part, start, fmt.Errorf("asked for the bytes from %d on, got %q", start, header))
		}
		if total >= 0 && total != t.file.Size {
			return start, fmt.Errorf("%w: %d bytes, not %d", errMismatch, total, t.file.Size)
		}
	case http.StatusRequestedRangeNotSatisfiable:
		return start, t.discard(part, start, errors.New(response.Status))
	default:
		return start, fmt.Errorf("the server says %s", response.Status)
	}

	if _, err := part.Seek(start, io.SeekStart); err != nil {
		return start, diskError{err}
	}
	buffer := make([]byte, 64<<10)
	for done := start; ; {
		n, err := response.Body.Read(buffer)
		if n > 0 {
			alarm.Stop() // the time that writing and the caller's progress take is not the server's
			if done += int64(n); done > t.file.Size {
				return start, t.discard(part, start, fmt.Errorf("%w: more than %d bytes", errMismatch, t.file.Size))
			}
			if _, err := part.Write(buffer[:n]); err != nil {
				return start, diskError{err}
			}
			if t.progress != nil {
				t.progress(FetchProgress{Name: t.file.Name, Done: done, Total: t.file.Size})
			}
			alarm.Reset(idle)
		}
		switch {
		case err == io.EOF && done < t.file.Size:
			return start, fmt.Errorf("cut short after %d of %d bytes: %w", done, t.file.Size, io.ErrUnexpectedEOF)
		case err == io.EOF:
			return start, nil
		case err != nil:
			return start, fmt.Errorf("broke off after %d of %d bytes: %w", done, t.file.Size, causeOf(ctx, err))
		}
	}
}

// ask sends the request for the bytes from start on.
func (t transfer) ask(ctx context.Context, url string, start int64) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	// The file as it is: the client would otherwise ask for compression, and undo it on the way.
	request.Header.Set("Accept-Encoding", "identity")
	if start > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", start))
	}
	return cmp.Or(t.client, http.DefaultClient).Do(request)
}

// causeOf returns why ctx was canceled, if it was: that says more than the error of the request which it stopped. Of a
// request's own error it leaves out the address, which the caller names.
func causeOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if failed := new(neturl.Error); errors.As(err, &failed) {
		return failed.Err
	}
	return err
}

// contentRange returns the numbers of a header such as "bytes 5-9/10"; total is -1 where the server writes "*" for it.
func contentRange(header string) (from, total int64, ok bool) {
	var last int64
	var size string
	if n, _ := fmt.Sscanf(header, "bytes %d-%d/%s", &from, &last, &size); n != 3 {
		return 0, 0, false
	}
	if size == "*" {
		return from, -1, true
	}
	total, err := strconv.ParseInt(size, 10, 64)
	return from, total, err == nil
}
