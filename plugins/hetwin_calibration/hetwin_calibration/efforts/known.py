"""Reader of an effort calibration, written by `hetwin calibrate efforts --out`, for later runs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from hetwin_calibration.efforts.samples import Samples
from hetwin_calibration.efforts.splitting import OF_JOINT
from hetwin_suite.model import BadInput, Floats

_EXPECTED = "what `hetwin calibrate efforts --out FILE` writes"


@dataclass(frozen=True, slots=True)
class KnownEfforts:
    """Calibrated parameters of joints.

    Attributes:
        joints: name -> values by `OF_JOINT` (default 0), ``sign`` and ``factor`` (default 1).
    """

    joints: Mapping[str, Mapping[str, float]]

    def taken_off(self, samples: Samples, names: Sequence[str]) -> Samples:
        """Return the samples that ideal sensors on frictionless joints would have measured."""

        def of(parameter: str, missing: float = 0.0) -> Floats:
            return np.array([self.joints.get(n, {}).get(parameter, missing) for n in names])

        late = samples.at(of("lag"))
        friction = of("dry") * late.dry + of("viscous") * late.velocities
        friction += of("stribeck") * late.stribeck + of("offset")
        measured = of("sign", 1.0) * samples.measured / of("factor", 1.0) - friction
        return replace(samples, measured=measured, expected=late.expected, loads=late.loads)


def read_known(file: Path) -> KnownEfforts:
    """Read the file of a calibration.

    Raises:
        BadInput: if the file cannot be read, is not a calibration, or is a calibration of currents.
    """
    try:
        data = json.loads(file.read_text("utf-8"))
        arms = data["arms"]
        joints = {name: _values(own) for arm in arms for name, own in arm["joints"].items()}
    except OSError as error:
        raise BadInput(f"cannot be read: {error}", file=file, expected=_EXPECTED) from None
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadInput(f"is not a calibration: {error!r}", file=file, expected=_EXPECTED) from None
    if any(arm.get("efforts") != "torques" for arm in arms):
        raise BadInput(
            "these efforts are not torques",
            file=file,
            found="currents",
            expected="a calibration of torques",
        )
    return KnownEfforts(joints)


def _values(own: Mapping[str, Any]) -> dict[str, float]:
    found = {name: float(own[name]["value"]) for name in OF_JOINT if name in own}
    found.pop("ratio", None)  # included in the factor
    factor = float(own["factor"])
    if factor <= 0.0 or not np.isfinite([factor, *found.values()]).all():
        raise ValueError("a factor is not positive, or a value is no number")
    return found | {"sign": float(own["sign"]), "factor": factor}
