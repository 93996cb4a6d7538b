"""Makes numpy-*.npz, pandas-*.csv and files.json: files of NumPy and pandas in many forms, and what is in them.

    python make_files.py

Versions: Python 3.11.7, numpy 2.4.6, pandas 3.1.1. The files are the same in every run: the time in an archive is
fixed.
"""

import csv
import io
import json
import types
import zipfile

import numpy as np
import pandas as pd

zipfile.time = types.SimpleNamespace(localtime=lambda *_: (1980, 1, 1, 0, 0, 0), time=lambda: 315532800.0)

# Arrays of every kind, in both byte orders, row by row and column by column.
arrays, refused = {}, {}
base = np.array([[0, 1, 2], [3, 100, 127]])
for kind in ["b1", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8"]:
    for order in "<>":
        x = (base - (64 if kind[0] in "if" else 0)).astype(np.dtype(order + kind))
        if kind[0] == "f":
            x[0] = [np.finfo(x.dtype).max, np.finfo(x.dtype).smallest_subnormal, -np.finfo(x.dtype).eps]
        arrays[f"{kind}_{'little' if order == '<' else 'big'}"] = x
        arrays[f"{kind}_{'little' if order == '<' else 'big'}_fortran"] = np.asfortranarray(x)
arrays["scalar"] = np.array(2.5)
arrays["cube"] = np.asfortranarray(np.arange(24, dtype="<i2").reshape(2, 3, 4))
arrays["empty"] = np.zeros((0, 3))
arrays["largest"] = np.array([2**53, -(2**53)])
for name, x in {"complex": np.array([1j]), "text": np.array(["ill", "well"]), "bytes": np.array([b"ill"]),
                "objects": np.array(["ill", None], dtype=object), "dates": np.array(["2024-01-05"], dtype="M8[D]"),
                "durations": np.array([5], dtype="m8[s]"), "longdouble": np.zeros(1, dtype=np.longdouble),
                "structured": np.array([(1, 2.5)], dtype=[("a", "<i4"), ("b", "<f8")]),
                "raw": np.array([b"ab"], dtype="V2"),
                "identifiers": np.array([2**53 + 1])}.items():
    refused[name] = x
np.savez("numpy-stored.npz", **arrays, **refused)
np.savez_compressed("numpy-deflated.npz", **arrays)
with zipfile.ZipFile("numpy-versions.npz", "w", zipfile.ZIP_DEFLATED) as archive:
    for version in [(1, 0), (2, 0), (3, 0)]:
        out = io.BytesIO()
        np.lib.format.write_array(out, base, version=version)
        archive.writestr(zipfile.ZipInfo(f"version{version[0]}.npy"), out.getvalue())
        arrays[f"version{version[0]}"] = base

# One table as pandas writes it.
frame = pd.DataFrame({
    "age": [5, 61, 33, 47, 20, 58, 39, 71, 44, 62, 18],
    "dose": [0.1, 1e-7, 2.5, np.nan, 1e16, 123456789.125, -0.0, 3, 1 / 3, 2e300, 5e-324],
    "größe": pd.array([170, None, 181, 165, 190, 177, 168, 172, 180, 175, 169], dtype="Int64"),
    "city": ["Bern", "Genève, VD", None, 'say "yes"', "a;b", "two\nlines", "Bern", "x\ty", "BE", "Zürich", "Bern"],
    "smoker": [True, False] * 5 + [True],
    "y": [1, 0, np.nan, 10, 2, 1, 0, np.nan, 1, 2, 10],
})
forms = {
    "plain": dict(index=False), "index": dict(), "named-index": dict(index_label="id"),
    "semicolon": dict(index=False, sep=";", decimal="."), "tab": dict(index=False, sep="\t"),
    "quoted": dict(index=False, quoting=csv.QUOTE_ALL), "gaps": dict(index=False, na_rep="<NA>"),
    "crlf": dict(index=False, lineterminator="\r\n"), "mark": dict(index=False, encoding="utf-8-sig"),
    "utf16": dict(index=False, encoding="utf-16"), "latin": dict(index=False, encoding="latin-1"),
    "decimal-comma": dict(index=False, sep=";", decimal=","), "headless": dict(index=False, header=False),
    "digits": dict(index=False, float_format="%.17g"),
}
for name, form in forms.items():
    frame.to_csv(f"pandas-{name}.csv", **form)
shuffled = frame.sample(frac=1, random_state=1)
shuffled.to_csv("pandas-shuffled.csv")


def text(x):
    """The values of an array as text, each of which is exact."""
    values = np.asarray(x, dtype=object).ravel()
    return ["" if pd.isna(v) else v if isinstance(v, str) else repr(float(v)) for v in values]


json.dump({
    "arrays": {name: {"shape": x.shape, "values": text(x)} for name, x in arrays.items()},
    "refused": list(refused),
    "frame": {name: text(frame[name]) if name != "smoker" else [str(v) for v in frame[name]] for name in frame},
    "order": [int(i) for i in shuffled.index],
}, open("files.json", "w"), ensure_ascii=False)
