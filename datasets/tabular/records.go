package tabular

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// records are the lines of a CSV file. A record may take several lines of text.
type records struct {
	first []string // the header, or the first row of a file without one
	rows  [][]string
	lines []int   // on which each row begins, counted from 1
	bad   []error // the lines that cannot be read
}

// column returns column j of all rows.
func (f *records) column(j int) []string {
	out := make([]string, len(f.rows))
	for i, row := range f.rows {
		out[i] = strings.TrimSpace(row[j])
	}
	return out
}

// allHold reports whether the first column of all rows holds a sign.
func (f *records) allHold(sign rune) bool {
	for _, row := range f.rows {
		if !strings.ContainsRune(row[0], sign) {
			return false
		}
	}
	return true
}

// readRecords reads a CSV file, and goes on behind lines that cannot be read. The error is that of r, or says that
// the file is empty, no text, or has a header that cannot be read.
func readRecords(r io.Reader, comma rune, header bool) (*records, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	if err := checkText(data); err != nil {
		return nil, err
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) // the byte order mark of UTF-8
	comma = cmp.Or(comma, ',')
	open := func(count int) *csv.Reader {
		lines := csv.NewReader(bytes.NewReader(data))
		// A tab is space: to trim it would remove empty values between tabs.
		lines.Comma, lines.TrimLeadingSpace, lines.FieldsPerRecord = comma, !unicode.IsSpace(comma), count
		return lines
	}
	f := &records{}
	lines := open(0)
	passed := 0 // the lines of text before data
	end := 0    // the line on which the last record ends
	for {
		record, err := lines.Read()
		fault := new(csv.ParseError)
		switch {
		case err == io.EOF && f.first == nil && f.bad == nil:
			return nil, errors.New("there is nothing in it")
		case err == io.EOF:
			return f, nil
		case err != nil && !errors.As(err, &fault):
			return nil, err
		case err != nil && f.first == nil && header:
			return nil, fmt.Errorf("the header, line %d: %w", fault.StartLine, fault.Err)
		case err != nil && fault.Err != csv.ErrFieldCount:
			f.bad = append(f.bad, fmt.Errorf("line %d: %w: quote a value that contains quotation marks, and double them "+
				"in it", passed+fault.StartLine, fault.Err))
			// A quote that is not closed takes in lines behind it, so reading goes on behind the line on which it
			// began.
			for range fault.StartLine {
				_, data, _ = bytes.Cut(data, []byte("\n"))
			}
			passed += fault.StartLine
			end = passed
			lines = open(lines.FieldsPerRecord)
			continue
		}
		line, _ := lines.FieldPos(0)
		line += passed
		if f.first != nil && lines.FieldsPerRecord == 1 {
			for empty := end + 1; empty < line; empty++ { // the reader passes over them
				f.bad = append(f.bad, fmt.Errorf("line %d is empty: write NA if its value is missing, or remove it", empty))
			}
		}
		end = line + strings.Count(strings.Join(record, ""), "\n")
		if err != nil {
			f.bad = append(f.bad, fmt.Errorf("line %d: %d values instead of %d: fill in what is missing, or quote a value that "+
				"contains %q", line, len(record), lines.FieldsPerRecord, comma))
			continue
		}
		if f.first == nil {
			f.first = record
		}
		if header {
			header = false
			continue
		}
		f.rows, f.lines = append(f.rows, record), append(f.lines, line)
	}
}

// checkText returns an error unless data is text in UTF-8.
func checkText(data []byte) error {
	const remedy = "save it as CSV in UTF-8"
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		return errors.New("it is in UTF-16: " + remedy)
	case bytes.HasPrefix(data, []byte("PK\x03\x04")), bytes.HasPrefix(data, []byte("\x1f\x8b")):
		return errors.New("it is a spreadsheet or a compressed file: " + remedy)
	case bytes.IndexByte(data, 0) >= 0:
		return errors.New("it holds zero bytes and is no text: " + remedy)
	case utf8.Valid(data):
		return nil
	}
	line := 0
	for text := range bytes.Lines(data) {
		line++
		at := 0 // of the first byte that is no part of a character
		for r, size := utf8.DecodeRune(text); size > 0 && (r != utf8.RuneError || size > 1); {
			at += size
			r, size = utf8.DecodeRune(text[at:])
		}
		if at < len(text) {
			return fmt.Errorf("line %d, byte %d: %q is not UTF-8: %s", line, at+1,
				bytes.TrimSpace(text[max(0, at-20):min(len(text), at+20)]), remedy)
		}
	}
	return nil
}
