// Package content opens files of known size, and often of known checksum.
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

// Sum is a checksum in hexadecimal: 64 digits of a SHA-256, 32 of an MD5, or empty if unknown. MD5 protects against
// damage, not against an attacker; some publishers give nothing else.
type Sum string

// hash returns the hash function of the checksum, determined by its length.
func (s Sum) hash() (kind string, state hash.Hash) {
	if len(s) == hex.EncodedLen(md5.Size) {
		return "MD5", md5.New()
	}
	return "SHA-256", sha256.New()
}

// With opens a file that must have exactly size bytes, calls do with its content, reads the rest, and checks that the
// file ends there and that its checksum is sum. A file of another size is an error before reading, so do may allocate
// size bytes. If do is nil only the size is checked.
func With(fsys fs.FS, name string, size int64, sum Sum, do func(io.Reader) error) (err error) {
	file, err := fsys.Open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	switch info, err := file.Stat(); {
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a folder, not a file", name)
	case info.Size() != size:
		return fmt.Errorf("%s has %d bytes, not %d: it is another file, or damaged; get it again", name, info.Size(), size)
	case do == nil:
		return nil
	}
	kind, state := sum.hash()
	r := &reader{Reader: file, name: name, want: size}
	if sum != "" {
		r.Reader = io.TeeReader(file, state)
	}
	if err := do(r); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, r); err != nil {
		return err
	}
	if r.done != size {
		return fmt.Errorf("%s goes on after its %d bytes", name, size)
	}
	if got := hex.EncodeToString(state.Sum(nil)); sum != "" && got != string(sum) {
		return fmt.Errorf("%s holds something else than expected, or is damaged: its %s is %s, not %s", name, kind, got, sum)
	}
	return nil
}

// reader counts the bytes read.
type reader struct {
	io.Reader
	name       string
	want, done int64
}

// Read implements io.Reader. A file shorter than its stated size gives io.ErrUnexpectedEOF.
func (r *reader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.done += int64(n)
	if err == io.EOF && r.done < r.want {
		err = fmt.Errorf("%s is cut short: %d of %d bytes came: %w", r.name, r.done, r.want, io.ErrUnexpectedEOF)
	}
	return n, err
}

// Check returns an error unless a file has that size and checksum. Without a checksum it does not read the file.
func Check(fsys fs.FS, name string, size int64, sum Sum) error {
	if sum == "" {
		return With(fsys, name, size, sum, nil)
	}
	return With(fsys, name, size, sum, func(io.Reader) error { return nil })
}

// ReadFile returns the size bytes of a file with that checksum.
func ReadFile(fsys fs.FS, name string, size int64, sum Sum) (data []byte, err error) {
	err = With(fsys, name, size, sum, func(r io.Reader) error {
		data = make([]byte, size)
		_, err := io.ReadFull(r, data)
		return err
	})
	return data, err
}

// sumsLimit is far above the size of a checksum file of a data set.
const sumsLimit = 1 << 20

// ReadSums reads a file of SHA-256 sums in the format of sha256sum, a sum and a file name on each line, and returns
// them by file name. A missing file gives none, and no error.
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

// Missing is an fs.ErrNotExist with its own, more specific text.
type Missing string

// Error returns the text.
func (m Missing) Error() string { return string(m) }

// Unwrap returns fs.ErrNotExist.
func (m Missing) Unwrap() error { return fs.ErrNotExist }

// First returns the first of the names that fsys has. If it has none the error is otherwise; any other error of a name
// ends the search.
func First(fsys fs.FS, otherwise Missing, names ...string) (string, error) {
	for _, name := range names {
		switch _, err := fs.Stat(fsys, name); {
		case err == nil:
			return name, nil
		case !errors.Is(err, fs.ErrNotExist):
			return "", err
		}
	}
	return "", otherwise
}
