"""Writes the verdicts on a night's recordings as CSV and Parquet.

A row per recording, and a column per claim and per key of its metadata.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from hetwin_night.row import Row
from hetwin_suite.command import write_text

CSV, PARQUET = "night.csv", "night.parquet"
_FIXED_COLUMNS = (
    "name",
    "outcome",
    "verdict",
    "first_at_s",
    "kind",
    "first",
    "end_s",
    "digest",
    "page",
)
_TRUTH = {True: "true", False: "false", None: "not known"}


def write_tables(rows: Sequence[Row], folder: Path) -> None:
    """Write both files into a folder; existing ones are replaced.

    Raises:
        BadInput: if they cannot be written.
    """
    claims = list(dict.fromkeys(name for row in rows for name in row.claims))
    metadata = list(dict.fromkeys(name for row in rows for name in row.about))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    header = [
        *_FIXED_COLUMNS,
        *(f"claim {name}" for name in claims),
        "checked",
        "unchecked",
        *metadata,
    ]
    writer.writerow(header)
    dicts = [row.to_json() for row in rows]
    for row, data in zip(rows, dicts, strict=True):
        writer.writerow(
            [
                *("" if data[name] is None else data[name] for name in _FIXED_COLUMNS),
                *(_TRUTH[row.claims[name]] if name in row.claims else "" for name in claims),
                ", ".join(row.checked),
                ", ".join(row.unchecked),
                *(row.about.get(name, "") for name in metadata),
            ]
        )
    write_text(folder / CSV, text.getvalue(), "the table")
    columns = {name: [data[name] for data in dicts] for name in _FIXED_COLUMNS}
    columns |= {f"claim {name}": [row.claims.get(name) for row in rows] for name in claims}
    columns |= {
        "checked": [list(row.checked) for row in rows],
        "unchecked": [list(row.unchecked) for row in rows],
    }
    columns |= {name: [row.about.get(name) for row in rows] for name in metadata}
    types = {"first_at_s": pa.float64(), "checked": pa.list_(pa.string())}
    types |= {"unchecked": pa.list_(pa.string())} | {f"claim {n}": pa.bool_() for n in claims}
    arrays = {name: pa.array(values, types.get(name)) for name, values in columns.items()}
    parquet.write_table(pa.table(arrays), folder / PARQUET)
