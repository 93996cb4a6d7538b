//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"
)

// fakeSlurm are stand-ins for Slurm's programs: sbatch does the tasks at once, one after the other, and squeue knows only of those
// that did not end well: they ran out of memory.
var fakeSlurm = map[string]string{
	"sbatch": `#!/bin/sh
script=$(cat)
for arg; do case "$arg" in --array=0-*) last=${arg#--array=0-};; --time=*) echo "$arg" >> "$TOLD";; esac; done
i=0
while [ $i -le $last ]; do
	SLURM_ARRAY_TASK_ID=$i /bin/sh -c "$script" >> "$TOLD" 2>&1 || echo "12|$i|OUT_OF_MEMORY|OutOfMemory" >> "$TOLD.queue"
	i=$((i+1))
done
echo 12
`,
	"squeue":   "#!/bin/sh\n[ ! -e \"$TOLD.queue\" ] || cat \"$TOLD.queue\"\n",
	"scontrol": "#!/bin/sh\nexit 1\n",
	"sacct":    "#!/bin/sh\nexit 1\n",
}

// TestSlurm does a table by the tasks of an array; a run that fails is a result there too.
func TestSlurm(t *testing.T) {
	bin := t.TempDir()
	for name, text := range fakeSlurm {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	told := filepath.Join(t.TempDir(), "told")
	t.Setenv("TOLD", told)
	t.Setenv(misbehavior, "diverges")
	s := newShop(t)
	s.grid("-on slurm -slurm --time=10 table-2", exitFailed, "table-2: job 12: ", "5 of 6 runs done, 1 failed", "-failed tries them again")
	text, err := os.ReadFile(told)
	if err != nil {
		t.Fatal(err)
	}
	contains(t, string(text), "--time=10\n", "step 0 of 3", "FMNIST-I, 1000 labeled / PUCL / seed 0: 0.", "nnPU / seed 1: failed: train: ")
	s.grid("-on slurm -failed table-2", exitFailed, "5 of 6 runs done, 1 failed") // once, and not again and again
	t.Setenv(misbehavior, "is killed")
	s.grid("-on slurm -failed table-2", exitFailed, "OUT_OF_MEMORY", "5 of 6 runs done, 1 failed")
	s.grid("-list table-2", exitOK, "failed: out of memory, by what Slurm says; take smaller batches")
	t.Setenv(misbehavior, "")
	s.grid("-on slurm -failed table-2", exitOK, "6 of 6 runs done.")
}
