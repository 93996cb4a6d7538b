package train

import (
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/runlog"
)

// sameLog fails the test unless the log in a checkpoint folder holds the history of the run, each step once.
func sameLog(t *testing.T, folder string, h *History) {
	t.Helper()
	file := expect.Must(os.Open(filepath.Join(folder, runlog.MetricsFile)))(t)
	defer file.Close()
	records := expect.Must(csv.NewReader(file).ReadAll())(t)
	expect.Require(t, len(records) == len(h.Losses)+1, "%d lines for %d steps", len(records)-1, len(h.Losses))
	readings := 0
	for i, record := range records[1:] {
		expect.Equal(t, record[0], strconv.Itoa(i+1))
		for column, want := range map[int]float64{
			2: h.Losses[i], 3: h.Rates[i], 4: h.GradientNorms[i], 5: h.ProjectionNorms[i], 6: float64(h.Examples[i]),
		} {
			expect.Equal(t, record[column], strconv.FormatFloat(want, 'g', -1, 64), "step %d, %s", i+1, records[0][column])
		}
		if record[9] != "" {
			expect.Equal(t, record[9], strconv.FormatFloat(h.Readings[readings].Projections.EffectiveRank, 'g', -1, 64))
			expect.Equal(t, h.Readings[readings].Step, i+1)
			readings++
		}
	}
	expect.Equal(t, readings, len(h.Readings))
}

// The log contains the monitor's readings. A folder of another run, without a checkpoint yet, is an error and stays
// unchanged.
func TestLog(t *testing.T) {
	eng := enginetest.Open(t)
	c := quick(4)
	c.Checkpoint, c.Monitor.Every = filepath.Join(t.TempDir(), "run"), 2
	m := expect.Must(Pretrain(context.Background(), eng, stripesOf(8, 2), c))(t)
	sameLog(t, c.Checkpoint, &m.History)
	expect.Equal(t, len(m.History.Readings), 2)
	expect.NoError(t, os.Remove(filepath.Join(c.Checkpoint, runlog.MetricsFile))) // it is rewritten from the checkpoint
	expect.NoError(t, expect.Err(Pretrain(context.Background(), eng, stripesOf(8, 2), c)))
	sameLog(t, c.Checkpoint, &m.History)
	if to := os.Getenv("PUCL_TENSORBOARD_CASE"); to != "" { // for a comparison with TensorBoard's reader
		expect.NoError(t, os.CopyFS(to, os.DirFS(c.Checkpoint)))
	}
	for _, name := range []string{checkpointFile, beforeFile} {
		if err := os.Remove(filepath.Join(c.Checkpoint, name)); !os.IsNotExist(err) {
			expect.NoError(t, err)
		}
	}
	metrics := filepath.Join(c.Checkpoint, runlog.MetricsFile)
	before := expect.Must(os.ReadFile(metrics))(t)
	c.Seed++
	expect.Error(t, expect.Err(Pretrain(context.Background(), eng, stripesOf(8, 2), c)), "the log of another run", "Seed")
	expect.Equal(t, string(expect.Must(os.ReadFile(metrics))(t)), string(before))
	expect.NoError(t, os.WriteFile(filepath.Join(c.Checkpoint, runlog.RunFile), []byte("{"), 0o644))
	expect.Error(t, expect.Err(Pretrain(context.Background(), eng, stripesOf(8, 2), c)), runlog.RunFile, "damaged", "delete it")
}
