package runlog

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// An event file is a sequence of records. A record is the length of its data (uint64), a checksum of the length (uint32), the
// data, and a checksum of the data (uint32), all little-endian. The data is a message Event of TensorFlow:
//
//	Event   {double wall_time = 1; int64 step = 2; string file_version = 3; Summary summary = 5}
//	Summary {repeated Value value = 1};  Value {string tag = 1; float simple_value = 2}
//
// Source: tensorflow/core/util/event.proto, tensorflow/core/framework/summary.proto, tensorflow/core/lib/io/record_writer.h.
const fileVersion = "brain.Event:2"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum is the masked CRC-32C of a record.
func checksum(data []byte) uint32 {
	crc := crc32.Checksum(data, castagnoli)
	return (crc>>15 | crc<<17) + 0xa282ead8
}

// appendRecord appends a record of data to b.
func appendRecord(b, data []byte) []byte {
	length := binary.LittleEndian.AppendUint64(nil, uint64(len(data)))
	b = append(b, length...)
	b = binary.LittleEndian.AppendUint32(b, checksum(length))
	b = append(b, data...)
	return binary.LittleEndian.AppendUint32(b, checksum(data))
}

func appendDouble(b []byte, field protowire.Number, x float64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(b, field, protowire.Fixed64Type), math.Float64bits(x))
}

func appendText[T string | []byte](b []byte, field protowire.Number, x T) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), []byte(x))
}

// event begins an Event with its time and step. Step 0 is the default, which is not written.
func event(step int, at time.Time) []byte {
	b := appendDouble(nil, 1, float64(at.UnixMilli())/1000)
	if step == 0 {
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, 2, protowire.VarintType), uint64(step))
}

// version returns the first record of a file.
func version(at time.Time) []byte { return appendRecord(nil, appendText(event(0, at), 3, fileVersion)) }

// appendEvent appends the record of a step to b.
func appendEvent(b []byte, step int, at time.Time, tags []string, values []float64) []byte {
	var summary []byte
	for i, x := range values {
		if !math.IsNaN(x) {
			value := appendText(nil, 1, tags[i])
			value = protowire.AppendFixed32(protowire.AppendTag(value, 2, protowire.Fixed32Type),
				math.Float32bits(float32(x)))
			summary = appendText(summary, 1, value)
		}
	}
	return appendRecord(b, appendText(event(step, at), 5, summary))
}

// recordsOf returns the ends of the records of an event file up to a step: the version, then one record for each step from 1
// on. It stops at the first record that is damaged or not in order.
func recordsOf(data []byte, step int) (ends []int64) {
	end := 0
	for i := 0; i <= step; i++ {
		record := data[end:]
		if len(record) < 16 || checksum(record[:8]) != binary.LittleEndian.Uint32(record[8:]) {
			return ends
		}
		size := binary.LittleEndian.Uint64(record)
		if size > uint64(len(record)-16) {
			return ends
		}
		event, sum := record[12:12+size], record[12+size:]
		if checksum(event) != binary.LittleEndian.Uint32(sum) || stepOf(event) != i {
			return ends
		}
		end += int(size) + 16
		ends = append(ends, int64(end))
	}
	return ends
}

// stepOf returns the step of an event, −1 for damaged data.
func stepOf(data []byte) int {
	for len(data) > 0 {
		field, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return -1
		}
		data = data[n:]
		if field == 2 && kind == protowire.VarintType {
			step, n := protowire.ConsumeVarint(data)
			if n < 0 || step > math.MaxInt32 {
				return -1
			}
			return int(step)
		}
		if n = protowire.ConsumeFieldValue(field, kind, data); n < 0 {
			return -1
		}
		data = data[n:]
	}
	return 0
}
