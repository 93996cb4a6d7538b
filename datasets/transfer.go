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
	// triesPerURL bounds the requests to one address after interruptions.
	triesPerURL = 5
)

// transfer downloads one file into its part.
type transfer struct {
	file     RemoteFile
	part     string
	client   *http.Client
	idle     time.Duration
	progress func(FetchProgress)
}

// errStale means that the bytes of an earlier download were useless; they are deleted already.
var errStale = errors.New("the bytes of an earlier download do not fit")

// diskError is a local failure, which no other address can avoid.
type diskError struct{ error }

func (e diskError) Unwrap() error { return e.error }

// fromAny tries the addresses in turn. It returns nil once the part holds the complete, verified file, and otherwise
// one cause per address.
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

// fromOne requests one address, and repeats the request after an interruption that made progress and after a useless
// old part.
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

// have returns the size of the part, 0 if it does not exist.
func (t transfer) have() int64 {
	if info, err := os.Stat(t.part); err == nil {
		return info.Size()
	}
	return 0
}

// attempt requests the missing bytes of the part, appends them, and verifies the whole.
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

// discard empties the part. The address is at fault only if all bytes came from it.
func (t transfer) discard(part *os.File, start int64, cause error) error {
	if err := part.Truncate(0); err != nil {
		return diskError{err}
	}
	if start > 0 {
		return fmt.Errorf("%w (%w)", errStale, cause)
	}
	return cause
}

// receive requests the file from byte start on and writes it to the part. It returns the position of the received
// bytes: start, or 0 from a server that can only send the whole file.
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
	length := response.ContentLength // -1 if the server does not give it
	switch response.StatusCode {
	case http.StatusOK: // the whole file, with or without a requested range
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
			alarm.Stop() // writing and the progress callback do not count as the server's silence
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
	// The client would otherwise request compression and decompress in transit.
	request.Header.Set("Accept-Encoding", "identity")
	if start > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", start))
	}
	return cmp.Or(t.client, http.DefaultClient).Do(request)
}

// causeOf returns the cause of ctx if it was canceled, since that is more specific than the error of the stopped
// request. From a request's own error it removes the address, which the caller adds.
func causeOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if failed := new(neturl.Error); errors.As(err, &failed) {
		return failed.Err
	}
	return err
}

// contentRange returns the numbers of a header such as "bytes 5-9/10"; total is -1 if the server sends "*".
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
