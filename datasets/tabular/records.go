package tabular

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/puclab/puclab/datasets/internal/decimal"
)

// readLines reads a CSV file and calls row for each record below the header, with its first line, counted from 1. The
// slice record is reused; its texts are not. A record may span several lines of text.
//
// It continues after unreadable lines, and returns an error for each of them in bad. err is the error of r or of the
// layout, or states that the file is empty, is not text, has an unreadable header or another separator.
func readLines(r io.Reader, cfg CSV,
	row func(use layout, record []string, line int)) (use layout, bad []error, err error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return use, nil, err
	}
	if data, err = textOf(data); err != nil {
		return use, nil, err
	}
	var passed int // number of lines before data
	comma := cmp.Or(cfg.Comma, ',')
	if line, rest, ok := bytes.Cut(data, []byte("\n")); ok && bytes.HasPrefix(line, []byte("sep=")) { // written by Excel
		sign := []rune(strings.TrimSpace(string(line[4:])) + "\t") // a tab is space
		comma, data, passed = cmp.Or(cfg.Comma, sign[0]), rest, 1
	}
	open := func(count int) *csv.Reader {
		lines := csv.NewReader(bytes.NewReader(data))
		// A tab counts as space: trimming it would remove empty values between tabs.
		lines.Comma, lines.TrimLeadingSpace, lines.FieldsPerRecord = comma, !unicode.IsSpace(comma), count
		lines.ReuseRecord = true
		return lines
	}
	var first []string // nil before the first record
	var sign rune      // the separator in all records of a single column
	lines := open(0)
	end := passed      // last line of the last record
	read, more := 0, 0 // number of records read after the first, and of those with one value more
	for {
		record, err := lines.Read()
		var fault *csv.ParseError
		switch {
		case err == io.EOF && first == nil && bad == nil:
			return use, nil, errors.New("there is nothing in it")
		case err == io.EOF && sign != 0:
			return use, nil, fmt.Errorf("the only column is %q; the separator looks like %q: set Comma to it",
				first[0], sign)
		case err == io.EOF && read == 0 && more > 0 && more == len(bad):
			return use, nil, fmt.Errorf("all lines have one value more than the first: name a first column that "+
				"numbers the rows, as R writes without a name (row.names=FALSE leaves it out), or take off the last %q"+
				" of the lines", comma)
		case err == io.EOF:
			return use, bad, nil
		case err != nil && !errors.As(err, &fault):
			return use, nil, err
		case err != nil && first == nil && !cfg.NoHeader:
			return use, nil, fmt.Errorf("the header, line %d: %w", fault.StartLine, fault.Err)
		case err != nil && fault.Err != csv.ErrFieldCount:
			bad = append(bad, fmt.Errorf("line %d: %w: quote a value that contains quotation marks, and double them "+
				"in it", passed+fault.StartLine, fault.Err))
			// An unclosed quote includes later lines, so reading continues after the line on which it began.
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
		if (first != nil || cfg.NoHeader) && lines.FieldsPerRecord == 1 {
			for empty := end + 1; empty < line; empty++ { // the reader skips them
				bad = append(bad, fmt.Errorf("line %d is empty: write NA if its value is missing, or remove it", empty))
			}
		}
		end = line
		for _, text := range record {
			end += strings.Count(text, "\n")
		}
		if err != nil {
			if len(record) == lines.FieldsPerRecord+1 {
				more++
			}
			bad = append(bad, fmt.Errorf("line %d: %d values instead of %d: fill in what is missing, or quote a "+
				"value that contains %q", line, len(record), lines.FieldsPerRecord, comma))
			continue
		}
		if !strings.ContainsRune(record[0], sign) {
			sign = 0
		}
		if first == nil {
			first = slices.Clone(record)
			if use, err = cfg.layoutOf(first); err != nil {
				return use, nil, err
			}
			if sign = separator(first); cfg.NoHeader && (cfg.Comma != 0 || !holdsNumber(first[0], sign)) {
				sign = 0 // free text
			}
			if !cfg.NoHeader {
				continue
			}
		}
		read++
		row(use, record, line)
	}
}

// holdsNumber reports whether a part of text between signs is a number.
func holdsNumber(text string, sign rune) bool {
	for part := range strings.SplitSeq(text, string(sign)) {
		if _, _, ok := decimal.Parse(strings.TrimSpace(part)); ok {
			return true
		}
	}
	return false
}

// textOf returns the text in data as UTF-8, without a byte order mark. Text in UTF-16 must have one.
func textOf(data []byte) ([]byte, error) {
	const remedy = "save it as CSV in UTF-8"
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		return fromUTF16(data[2:], binary.LittleEndian)
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		return fromUTF16(data[2:], binary.BigEndian)
	case bytes.HasPrefix(data, []byte("PK\x03\x04")), bytes.HasPrefix(data, []byte("\x1f\x8b")),
		bytes.HasPrefix(data, []byte("\xd0\xcf\x11\xe0")):
		return nil, errors.New("it is a spreadsheet or a compressed file: " + remedy)
	case bytes.HasPrefix(data, []byte("version https://git-lfs")):
		return nil, errors.New("it is a pointer of Git LFS, not the file: run git lfs pull")
	case bytes.HasPrefix(data, []byte("<!DOCTYPE")), bytes.HasPrefix(data, []byte("<html")):
		return nil, errors.New("it is a web page, not a table: download the file itself")
	case bytes.HasPrefix(data, []byte("PAR1")):
		return nil, errors.New("it is a Parquet file: " + remedy + ", as by DataFrame.to_csv(name, index=False) of " +
			"pandas")
	case bytes.IndexByte(data, 0) >= 0:
		return nil, errors.New("it holds zero bytes and is no text, or is in UTF-16 without a byte order mark: " +
			remedy)
	case utf8.Valid(data):
		return lineEnds(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))), nil
	}
	line := 0
	for text := range bytes.Lines(data) {
		line++
		if at := invalid(text); at < len(text) {
			return nil, fmt.Errorf("line %d, byte %d: %q is not UTF-8: %s", line, at+1,
				bytes.TrimSpace(text[max(0, at-20):min(len(text), at+20)]), remedy)
		}
	}
	return data, nil
}

// invalid returns the position of the first byte of text that is not valid UTF-8; len(text) if there is none.
func invalid(text []byte) (at int) {
	for r, size := utf8.DecodeRune(text); size > 0 && (r != utf8.RuneError || size > 1); {
		at += size
		r, size = utf8.DecodeRune(text[at:])
	}
	return at
}

// fromUTF16 returns text of UTF-16 as UTF-8.
func fromUTF16(data []byte, order binary.ByteOrder) ([]byte, error) {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	text := []byte(string(utf16.Decode(units)))
	if len(data)%2 != 0 || bytes.ContainsRune(text, utf8.RuneError) || bytes.IndexByte(text, 0) >= 0 {
		return nil, errors.New("it begins as UTF-16 but is cut off or damaged: save it as CSV in UTF-8")
	}
	return lineEnds(text), nil
}

// lineEnds replaces line ends in a text where all of them are "\r", as in old Macintosh files.
func lineEnds(text []byte) []byte {
	if bytes.IndexByte(text, '\n') < 0 {
		return bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
	}
	return text
}
