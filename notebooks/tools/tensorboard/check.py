"""Compares the two files of a training's log: metrics.csv, and the event file as TensorBoard reads it.

    python check.py FOLDER
"""
import csv, math, os, struct, sys

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

folder = sys.argv[1]
with open(os.path.join(folder, "metrics.csv"), newline="") as file:
    rows = list(csv.DictReader(file))
events = EventAccumulator(folder)
events.Reload()
compared = 0
for tag in rows[0]:
    if tag in ("step", "time"):
        continue
    want = [(int(r["step"]), float(r[tag])) for r in rows if r[tag] != ""]
    if not want:
        assert tag not in events.Tags()["scalars"], f"{tag} has events and no values in metrics.csv"
        continue
    got = [(e.step, e.value) for e in events.Scalars(tag)]
    assert len(got) == len(want), f"{tag}: {len(got)} events, {len(want)} values"
    for (step, value), (other, number) in zip(want, got):
        single = struct.unpack("f", struct.pack("f", value))[0]
        assert step == other and (single == number or math.isnan(single) and math.isnan(number)), (tag, step, value, other, number)
        compared += 1
assert compared > 0
print(f"TensorBoard reads {compared} values of {len(events.Tags()['scalars'])} series as metrics.csv has them")
