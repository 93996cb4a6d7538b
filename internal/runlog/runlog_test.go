package runlog

import (
	"bytes"
	"encoding/hex"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/expect"
)

var columns = []string{"loss", "learning_rate"}

// The records are those of TensorBoard 2.21:
//
//	from tensorboard.compat.proto import event_pb2, summary_pb2
//	from tensorboard.summary.writer.record_writer import RecordWriter
//	value = summary_pb2.Summary.Value
//	summary = summary_pb2.Summary(value=[value(tag="loss", simple_value=2.5), value(tag="learning_rate", simple_value=0.001)])
//	for event in [event_pb2.Event(wall_time=1700000000.25, file_version="brain.Event:2"),
//	              event_pb2.Event(wall_time=1700000001.5, step=1, summary=summary)]:
//	    file = io.BytesIO(); RecordWriter(file).write(event.SerializeToString()); print(file.getvalue().hex())
func TestRecordsOfTensorBoard(t *testing.T) {
	head := "1800000000000000a37f4b220900001040fc54d9411a0d627261696e2e4576656e743a32338d2fe9"
	one := "300000000000000095f5d05f0900006040fc54d94110012a230a0b0a046c6f737315000020400a140a0d6c6561726e696e675f72617465156f12833aa3db80cb"
	expect.Equal(t, hex.EncodeToString(version(time.UnixMilli(1700000000250))), head)
	got := appendEvent(nil, 1, time.UnixMilli(1700000001500), columns, []float64{2.5, 0.001})
	expect.Equal(t, hex.EncodeToString(got), one)
	file := expect.Must(hex.DecodeString(head + one))(t)
	ends := recordsOf(file, 9)
	expect.Equal(t, ends, []int64{int64(len(head) / 2), int64(len(file))})
	for i := range file[len(head)/2:] { // no damage of the second record passes
		damaged := bytes.Clone(file)
		damaged[len(head)/2+i] ^= 0x10
		expect.Equal(t, len(recordsOf(damaged, 9)), 1, "byte %d", i)
	}
}

// write appends the entries from..to of a log that is kept up to keep, and returns the last entry it had.
func write(t *testing.T, folder string, keep, from, to int) int {
	t.Helper()
	l, last, err := Open(folder, columns, keep)
	expect.NoError(t, err)
	for step := from; step <= to; step++ {
		rate := 1e-3 * float64(step)
		if step%2 == 0 {
			rate = math.NaN()
		}
		expect.NoError(t, l.Add(step, time.UnixMilli(1000*int64(step)), []float64{1 / float64(step), rate}))
	}
	expect.NoError(t, l.Close())
	return last
}

func read(t *testing.T, folder string) (metrics, events string) {
	t.Helper()
	files := [2]string{}
	for i, name := range []string{MetricsFile, EventsFile} {
		files[i] = string(expect.Must(os.ReadFile(filepath.Join(folder, name)))(t))
	}
	return files[0], files[1][strings.Index(files[1], fileVersion)+len(fileVersion)+4:] // without the head
}

// A log that was cut anywhere, or went on past the step that the run resumes from, ends as one that was written at once.
func TestResume(t *testing.T) {
	whole := t.TempDir()
	expect.Equal(t, write(t, whole, 0, 1, 6), 0)
	metrics, events := read(t, whole)
	expect.Equal(t, metrics, "step,time,loss,learning_rate\n1,1.000,1,0.001\n2,2.000,0.5,\n3,3.000,0.3333333333333333,0.003\n"+
		"4,4.000,0.25,\n5,5.000,0.2,0.005\n6,6.000,0.16666666666666666,\n")
	for name, damage := range map[string]func(metrics, events []byte) ([]byte, []byte){
		"nothing":                 func(m, e []byte) ([]byte, []byte) { return m, e },
		"half a line":             func(m, e []byte) ([]byte, []byte) { return m[:len(m)-25], e },
		"half a record":           func(m, e []byte) ([]byte, []byte) { return m, e[:len(e)-100] },
		"text behind":             func(m, e []byte) ([]byte, []byte) { return append(m, "7,"...), append(e, "text"...) },
		"one file is gone":        func(m, e []byte) ([]byte, []byte) { return m, nil },
		"a table of other values": func(m, e []byte) ([]byte, []byte) { return append([]byte("step,loss\n"), m...), e },
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			write(t, folder, 0, 1, 5)
			m, e := filepath.Join(folder, MetricsFile), filepath.Join(folder, EventsFile)
			lines, records := damage(expect.Must(os.ReadFile(m))(t), expect.Must(os.ReadFile(e))(t))
			expect.NoError(t, os.WriteFile(m, lines, 0o644))
			expect.NoError(t, os.WriteFile(e, records, 0o644))
			l, last, err := Open(folder, columns, 4)
			expect.NoError(t, err)
			expect.NoError(t, l.Close())
			expect.That(t, last <= 4, "%d entries kept", last)
			expect.Equal(t, write(t, folder, 4, last+1, 6), last)
			again, records2 := read(t, folder)
			expect.Equal(t, again, metrics)
			expect.Equal(t, records2, events)
		})
	}
	expect.Error(t, func() error { _, _, err := Open(filepath.Join(whole, "none"), columns, 0); return err }(), "none", "metrics.csv")
}
