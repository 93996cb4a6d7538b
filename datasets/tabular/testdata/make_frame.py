"""Makes frame-train.csv, frame-test.csv and frame.json: what pandas and scikit-learn make of two small tables with gaps.

    python make_frame.py

Versions: Python 3.11.7, pandas 3.1.1, scikit-learn 1.9.1, numpy 2.4.6.

Numbers: gaps become the median of the training rows, then mean 0 and standard deviation 1; a feature of 0 and 1 tells the
gaps where the training rows have some. Words: one feature per category of the training rows; gaps are a category if the
training rows have some, else they become the most frequent category. Unknown categories are ignored.
"""

import csv
import json

import numpy as np
import pandas as pd
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder, StandardScaler

NUMBERS = ["age", "größe", "dose", "clinic"]
WORDS = ["city", "code", "note"]
LAST = "\U0010ffff"  # gaps sort behind all words


def write(name, rows, rng, cities, codes, notes, gaps):
    """Writes a table; gaps has, for each column, the texts that stand for values now and then."""
    def or_gap(column, value):
        return rng.choice(gaps[column]) if column in gaps and rng.random() < 0.2 else value

    with open(name, "w", encoding="utf-8-sig", newline="") as file:  # with a byte order mark
        out = csv.writer(file)  # with quotes where a value has a comma, a quote or a line break
        out.writerow(["id", *NUMBERS, *WORDS, "status"])
        for i in range(rows):
            out.writerow([
                f"r{i:03}",
                or_gap("age", rng.integers(20, 90)),
                or_gap("größe", f"{rng.normal(170, 9):.1f}"),
                or_gap("dose", f"{rng.lognormal(0, 3):.4g}"),
                7,
                or_gap("city", rng.choice(cities)),
                or_gap("code", rng.choice(codes)),
                or_gap("note", rng.choice(notes)),
                rng.choice(["", "diabetic"]),
            ])


def main():
    rng = np.random.default_rng(11)
    cities = ["Zürich", "Genève, VD", "Bern", "Sankt \"Gallen\""]
    notes = ["ja", "nein", "zwei\nZeilen"]
    write("frame-train.csv", 40, rng, cities, ["007", "12", "5"], notes, {"age": ["", "NA"], "city": ["", "?"]})
    write("frame-test.csv", 15, rng, cities + ["Basel"], ["007", "12", "99"], notes,
          {"age": ["NaN"], "größe": ["null"], "dose": [""], "city": ["None"], "code": ["N/A"], "note": ["NULL"]})
    kwargs = dict(dtype={"code": str}, keep_default_na=False, na_values=["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?"])
    train, test = (pd.read_csv(f"frame-{name}.csv", **kwargs) for name in ("train", "test"))
    names, parts = [], {"train": [], "test": []}

    def add(name, fitted):
        names.extend(name)
        for part in parts:
            parts[part].append(fitted[part])

    for column in NUMBERS:
        x = {"train": train[[column]].to_numpy(float), "test": test[[column]].to_numpy(float)}
        imputer = SimpleImputer(strategy="median").fit(x["train"])
        scaler = StandardScaler().fit(imputer.transform(x["train"]))
        add([column], {part: scaler.transform(imputer.transform(v)) for part, v in x.items()})
        if np.isnan(x["train"]).any():
            add([column + " missing"], {part: np.isnan(v).astype(float) for part, v in x.items()})
    for column in WORDS:
        x = {"train": train[[column]].astype(object), "test": test[[column]].astype(object)}
        gaps = x["train"][column].isna().any()
        fill = dict(strategy="constant", fill_value=LAST) if gaps else dict(strategy="most_frequent")
        imputer = SimpleImputer(missing_values=np.nan, **fill).fit(x["train"])
        encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False).fit(imputer.transform(x["train"]))
        label = [column + (" missing" if c == LAST else "=" + c) for c in encoder.categories_[0]]
        add(label, {part: encoder.transform(imputer.transform(v)) for part, v in x.items()})
    out = {"names": names}
    for part, table in (("train", train), ("test", test)):
        rows = np.hstack(parts[part])
        assert np.isfinite(rows).all()
        out[part] = [[float(f"{v:.14g}") for v in row] for row in rows]
        out[part + "_status"] = table["status"].fillna("").tolist()
    with open("frame.json", "w", encoding="utf-8") as file:
        json.dump(out, file, ensure_ascii=False)
        file.write("\n")


main()
