"""Calibration of a robot's chain by a file of measured markers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hetwin_calibration.arm.calibration import (
    FOLDS,
    Calibration,
    MeasuredMarkers,
    calibrate_arm,
)
from hetwin_calibration.arm.model import BASE, all_errors_of, offsets_of
from hetwin_calibration.methods import Parameters
from hetwin_suite.model import Floats
from hetwin_suite.robot import Chain, EndPose
from hetwin_suite.tables import NumberTable as Table
from hetwin_suite.tables import check_columns, read_table

STILL = 1e-3
"""Maximum range of a resting joint in a file [rad or m]."""
_MARKER = re.compile(r"([xyz])([1-9]\d*)")


@dataclass(frozen=True, slots=True)
class MarkerFile:
    """Content of a file of measured markers.

    Attributes:
        measured: the postures.
        markers: numbers of the markers that are used.
        passed_over: columns of joints outside the chain, and of duplicate markers.
        table: the whole file.
    """

    measured: MeasuredMarkers
    markers: tuple[int, ...]
    passed_over: tuple[str, ...]
    table: Table

    def moving(self, joints: Iterable[str]) -> list[str]:
        """Return those of some joints that move in the file by more than `STILL`.

        Raises:
            BadInput: if a cell of these joints is not a finite number.
        """
        known = [name for name in joints if name in self.table.columns]
        ranges = np.ptp(self.table.numbers(known), axis=0)
        return [name for name, far in zip(known, ranges, strict=True) if far > STILL]


@dataclass(frozen=True, slots=True)
class CalibratedArm:
    """A calibrated chain and its data.

    Attributes:
        chain: the chain of the URDF.
        file: the measured markers.
        found: the calibration.
    """

    chain: Chain
    file: MarkerFile
    found: Calibration

    @property
    def offsets(self) -> dict[str, float]:
        """Offsets of the joints [rad or m]."""
        names = [segment.joint for segment in self.chain.segments if segment.joint]
        values = self.found.calibrated.of_errors.tolist()
        return dict(zip(names, values[: len(names)], strict=True))

    def origins(self) -> Mapping[str, Floats]:
        """Return the error of each joint's frame, translation [m] and rotation vector [rad] (6,), by joint."""
        segments = self.chain.segments
        return {segments[i].joint: error for i, error in self.found.errors.items()}

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object of `hetwin calibrate arm --json`."""
        found = self.found
        nominal, calibrated = ((1e3 * pair) for pair in np.array([found.rms, found.held_out_rms]).T)
        base = EndPose(found.calibrated.base.position, found.calibrated.base.rotation).pose
        return {
            "poses": len(self.file.measured.positions),
            "outliers": list(found.outliers),
            "rms_mm": {"nominal": float(nominal[0]), "calibrated": float(calibrated[0])},
            "held_out_rms_mm": {"nominal": float(nominal[1]), "calibrated": float(calibrated[1])},
            "offsets_rad": self.offsets,
            "base": base.tolist(),
            "markers": dict(
                zip(
                    map(str, self.file.markers),
                    found.calibrated.of_markers.tolist(),
                    strict=True,
                )
            ),
            "passed_over": list(self.file.passed_over),
        }


def read_markers(file: Path, chain: Chain) -> MarkerFile:
    """Read postures with measured markers.

    Raises:
        BadInput: if columns are missing, a number is not finite, or there are too few postures.
    """
    table = read_table(file)
    check_columns(table, ("x1", "y1", "z1", *chain.joints))
    numbers = _markers(table)
    columns = [f"{axis}{number}" for number in numbers for axis in "xyz"]
    check_columns(table, columns)
    places = table.numbers(columns).reshape(len(table.rows), -1, 3)
    single = [
        i
        for i in range(len(numbers))
        if not any((places[:, i] == places[:, j]).all() for j in range(i))
    ]
    used = {f"{axis}{numbers[i]}" for i in single for axis in "xyz"} | set(chain.joints)
    _check_count(table, len(single), chain)
    passed_over = tuple(column for column in table.columns if column not in used)
    return MarkerFile(
        MeasuredMarkers(table.numbers(chain.joints), places[:, single]),
        tuple(numbers[i] for i in single),
        passed_over,
        table,
    )


def _markers(table: Table) -> list[int]:
    """Return the numbers of the markers in the header."""
    found = (_MARKER.fullmatch(column) for column in table.columns)
    return sorted({int(match[2]) for match in found if match})


def _check_count(table: Table, markers: int, chain: Chain) -> None:
    """Check that each fold leaves more numbers than there are parameters of base, markers and offsets.

    Raises:
        BadInput: if there are too few rows.
    """
    unknown = BASE + 3 * markers + len(chain.joints)
    needed = max(FOLDS, int(np.ceil(unknown / (3 * markers) * FOLDS / (FOLDS - 1))) + 1)
    if len(table.rows) < needed:
        raise table.bad(
            "there are too few poses",
            -1,
            f"{len(table.rows)} rows",
            f"{needed} at least for {len(chain.joints)} joints and {markers} markers",
        )


def calibrate(chain: Chain, file: MarkerFile, parameters: Parameters) -> CalibratedArm:
    """Fit a chain's joint offsets, or all of its small errors, to measured markers."""
    kind = offsets_of if parameters is Parameters.OFFSETS else all_errors_of
    errors = kind(chain.segments)
    return CalibratedArm(chain, file, calibrate_arm(chain.segments, errors, file.measured))
