// Package runlog writes the log of a training into a folder, step by step: a CSV file for programs, and an event file that
// TensorBoard shows. A run that resumes appends, without a gap and without a step that occurs twice.
package runlog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// The files of a log. TensorBoard reads each file whose name contains "tfevents". RunFile states whose log it is.
const (
	MetricsFile = "metrics.csv"
	EventsFile  = "events.out.tfevents.puclab"
	RunFile     = "run.json"
)

// Has reports whether a file of this name belongs to a log.
func Has(name string) bool { return name == MetricsFile || name == EventsFile || name == RunFile }

// flushEvery is the time after which what was added is written to the files, for those who watch a run.
const flushEvery = time.Second

// Log is an open log. It is not safe for concurrent use.
type Log struct {
	columns         []string
	metrics, events *output
	flushed         time.Time
	line            []byte
	record          []byte
}

// output is one of the files.
type output struct {
	*bufio.Writer
	file *os.File
}

// Open opens the log in a folder, or begins one, and keeps its entries up to and with a step, 0 for none. Last is the last step
// that it has then: less than step where entries are missing or damaged. Columns are the names of the values of an entry.
func Open(folder string, columns []string, step int) (_ *Log, last int, err error) {
	l := &Log{columns: columns, flushed: time.Now()}
	if last, err = l.open(folder, step); err != nil {
		return nil, 0, errors.Join(fmt.Errorf("the log in %s: %w", folder, err), l.close())
	}
	return l, last, nil
}

func (l *Log) open(folder string, step int) (last int, err error) {
	if l.metrics, err = open(filepath.Join(folder, MetricsFile)); err != nil {
		return 0, err
	}
	if l.events, err = open(filepath.Join(folder, EventsFile)); err != nil {
		return 0, err
	}
	written, err := io.ReadAll(l.metrics.file)
	if err != nil {
		return 0, err
	}
	recorded, err := io.ReadAll(l.events.file)
	if err != nil {
		return 0, err
	}
	lines, records := l.linesOf(written, step), recordsOf(recorded, step)
	last = min(len(lines), len(records)) - 1 // the first is the head
	err = l.metrics.cut(lines, last, l.head())
	if err == nil {
		err = l.events.cut(records, last, version(time.Now()))
	}
	return max(last, 0), err
}

func open(path string) (*output, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	return &output{bufio.NewWriter(f), f}, nil
}

// cut leaves the head and as many entries, and writes a head where there is none.
func (o *output) cut(ends []int64, entries int, head []byte) error {
	end := int64(0)
	if entries >= 0 {
		end = ends[entries]
	}
	if err := o.file.Truncate(end); err != nil {
		return err
	}
	if _, err := o.file.Seek(end, io.SeekStart); err != nil || entries >= 0 {
		return err
	}
	_, err := o.Write(head)
	return err
}

// head returns the first line of the CSV file.
func (l *Log) head() []byte { return []byte("step,time," + strings.Join(l.columns, ",") + "\n") }

// linesOf returns the ends of the lines of a CSV file up to a step: the head, then one line for each step from 1 on. It stops at
// the first line that is not whole or not in order.
func (l *Log) linesOf(data []byte, step int) (ends []int64) {
	end := int64(0)
	for i := 0; i <= step; i++ {
		length := bytes.IndexByte(data[end:], '\n') + 1
		line := string(data[end : end+int64(length)])
		number, _, _ := strings.Cut(line, ",")
		whole := i == 0 && line == string(l.head()) || i > 0 && number == strconv.Itoa(i)
		if !whole || length == 0 {
			return ends
		}
		end += int64(length)
		ends = append(ends, end)
	}
	return ends
}

// Add appends the entry of a step, which must be the one after the last. NaN stands for a value that the step does not have.
func (l *Log) Add(step int, at time.Time, values []float64) error {
	l.line = strconv.AppendInt(l.line[:0], int64(step), 10)
	l.line = append(l.line, ',')
	l.line = strconv.AppendFloat(l.line, float64(at.UnixMilli())/1000, 'f', 3, 64)
	for _, v := range values {
		l.line = append(l.line, ',')
		if !math.IsNaN(v) {
			l.line = strconv.AppendFloat(l.line, v, 'g', -1, 64)
		}
	}
	l.line = append(l.line, '\n')
	l.record = appendEvent(l.record[:0], step, at, l.columns, values)
	_, err := l.metrics.Write(l.line)
	_, other := l.events.Write(l.record)
	if err = errors.Join(err, other); err == nil && time.Since(l.flushed) > flushEvery {
		l.flushed = time.Now()
		err = l.flush()
	}
	if err != nil {
		return fmt.Errorf("writing the log: %w", err)
	}
	return nil
}

func (l *Log) flush() error { return errors.Join(l.metrics.Flush(), l.events.Flush()) }

// Close writes what was added and closes the files.
func (l *Log) Close() error {
	if err := errors.Join(l.flush(), l.close()); err != nil {
		return fmt.Errorf("writing the log: %w", err)
	}
	return nil
}

func (l *Log) close() (err error) {
	for _, o := range []*output{l.metrics, l.events} {
		if o != nil {
			err = errors.Join(err, o.file.Close())
		}
	}
	return err
}
