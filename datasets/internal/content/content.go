// Package content opens files whose size, and often whose checksum, is known before the first byte is read.
package content

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"strings"
)

// Sum is a checksum in hexadecimal: 64 digits of a SHA-256, 32 of an MD5, or none for a checksum that nobody knows. MD5
// stands here against damage, not against an attacker; some publishers give nothing else.
type Sum string

// Kind returns "SHA-256" or "MD5".
func (s Sum) Kind() string {
	if len(s) == hex.EncodedLen(md5.Size) {
		return "MD5"
	}
	return "SHA-256"
}

func (s Sum) hash() hash.Hash {
	switch {
	case s == "":
		return nil
	case s.Kind() == "MD5":
		return md5.New()
	}
	return sha256.New()
}

// Reader reads one file and keeps count. Finish must be called after the last byte, and Close always.
type Reader struct {
	name string
	want int64
	sum  Sum
	file fs.File
	hash hash.Hash // nil where there is no sum
	done int64
}

// Open opens a file that must have exactly size bytes, and whose checksum must be sum. A file of another size is an
// error before anything is read, so the caller may take room for size bytes: the file has them.
func Open(fsys fs.FS, name string, size int64, sum Sum) (*Reader, error) {
	file, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = fmt.Errorf("%s is a folder, not a file", name)
	case info.Size() != size:
		err = fmt.Errorf("%s has %d bytes, not %d: it is another file, or damaged; get it again", name, info.Size(), size)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &Reader{name: name, want: size, sum: sum, file: file, hash: sum.hash()}, nil
}

// Read implements io.Reader. A file that turns out shorter than it said gives io.ErrUnexpectedEOF.
func (r *Reader) Read(p []byte) (int, error) {
	n, err := r.file.Read(p)
	r.done += int64(n)
	if r.hash != nil {
		r.hash.Write(p[:n]) // never fails
	}
	if err == io.EOF && r.done < r.want {
		err = fmt.Errorf("%s is cut short: %d of %d bytes came: %w", r.name, r.done, r.want, io.ErrUnexpectedEOF)
	}
	return n, err
}

// Finish reads what the caller left, and checks that the file ends where it should and has its checksum.
func (r *Reader) Finish() error {
	if _, err := io.Copy(io.Discard, r); err != nil {
		return err
	}
	if r.done != r.want {
		return fmt.Errorf("%s goes on after its %d bytes", r.name, r.want)
	}
	if r.hash == nil {
		return nil
	}
	if got := hex.EncodeToString(r.hash.Sum(nil)); got != string(r.sum) {
		return &SumError{Name: r.name, Got: got, Want: r.sum}
	}
	return nil
}

// Close closes the file.
func (r *Reader) Close() error { return r.file.Close() }

// With opens a file as Open does, calls do with it, and closes it.
func With(fsys fs.FS, name string, size int64, sum Sum, do func(*Reader) error) error {
	r, err := Open(fsys, name, size, sum)
	if err != nil {
		return err
	}
	return errors.Join(do(r), r.Close())
}

// CheckSize returns an error unless a file has exactly size bytes. It reads none of them.
func CheckSize(fsys fs.FS, name string, size int64) error {
	return With(fsys, name, size, "", func(*Reader) error { return nil })
}

// Check reads a whole file and returns an error unless it has that size and checksum.
func Check(fsys fs.FS, name string, size int64, sum Sum) error {
	return With(fsys, name, size, sum, (*Reader).Finish)
}

// ReadFile returns the size bytes of a file with that checksum.
func ReadFile(fsys fs.FS, name string, size int64, sum Sum) (data []byte, err error) {
	err = With(fsys, name, size, sum, func(r *Reader) error {
		data = make([]byte, size)
		if _, err := io.ReadFull(r, data); err != nil {
			return err
		}
		return r.Finish()
	})
	return data, err
}

// SumError says that a file of the right size holds something else.
type SumError struct {
	Name string
	Got  string
	Want Sum
}

// Error names the file and both checksums.
func (e *SumError) Error() string {
	return fmt.Sprintf("%s holds something else than expected, or is damaged: its %s is %s, not %s",
		e.Name, e.Want.Kind(), e.Got, e.Want)
}

// sumsLimit is far above what the sums of a data set's few files need.
const sumsLimit = 1 << 20

// ReadSums reads a file of SHA-256 sums as sha256sum writes it, a sum and a file name on each line, and returns them by
// file name. A missing file gives none, and no error.
func ReadSums(fsys fs.FS, name string) (map[string]Sum, error) {
	file, err := fsys.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, sumsLimit+1))
	if err != nil {
		return nil, err
	}
	if len(text) > sumsLimit {
		return nil, fmt.Errorf("%s is longer than %d bytes: it is no list of checksums", name, sumsLimit)
	}
	sums := map[string]Sum{}
	line := 0
	for text := range strings.Lines(string(text)) {
		line++
		text = strings.TrimRight(text, "\r\n")
		if text == "" {
			continue
		}
		sum, of, ok := strings.Cut(text, " ")
		of = strings.TrimPrefix(strings.TrimPrefix(of, " "), "*") // two spaces, or a space and a star
		if _, err := hex.DecodeString(sum); !ok || err != nil || len(sum) != hex.EncodedLen(sha256.Size) || of == "" {
			return nil, fmt.Errorf("%s, line %d: not a SHA-256 of 64 digits, two spaces and a file name", name, line)
		}
		sums[of] = Sum(strings.ToLower(sum))
	}
	return sums, nil
}
