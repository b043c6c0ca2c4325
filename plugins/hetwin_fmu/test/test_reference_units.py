"""The reference units of the FMI project step in an ensemble as FMPy alone steps them.

They are no part of hetwin: HETWIN_FMUS names a folder with those of FMI 2 in `2` and those of FMI 3 in `3`, built from
https://github.com/modelica/Reference-FMUs.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from support.small_ensemble import Outcome, run

from hetwin_core.ensemble.scene.values import Floats

fmpy = pytest.importorskip("fmpy", reason="the extra fmi is not installed")

RATE = 100
HAND_SPEED = 0.1
"""Of the toy physics' hand along x, from which inputs are made [m/s]."""


@dataclass(frozen=True)
class Case:
    """A unit, what is read from it, and what is put into it.

    Attributes:
        name: of the unit.
        version: of FMI.
        outputs: variables that are compared.
        until: simulated time [s].
        inputs: variable -> factor and offset of the hand's position.
        start: start values.
    """

    name: str
    version: int
    outputs: tuple[str, ...]
    until: float = 2.0
    inputs: dict[str, tuple[float, float]] = field(default_factory=dict)
    start: dict[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return f"{self.name} of FMI {self.version}"


_SLOPE = {"Float64_continuous_input": (37.0, -1.0), "Float64_discrete_input": (-3.0, 0.5)}
_WHOLE = {
    "Int32_input": (170.0, -9.2),
    "Boolean_input": (10.0, 0.0),
    "Enumeration_input": (6.0, 0.6),
}
_SMALL = {f"{kind}_input": (170.0, 3.2) for kind in ("Int8", "UInt8", "Int16", "UInt16")}
_LARGE = {f"{kind}_input": (170.0, 3.2) for kind in ("UInt32", "Int64", "UInt64")}
_SINGLE = {"Float32_continuous_input": (37.0, -1.0), "Float32_discrete_input": (-3.0, 0.5)}
_ALL_OF_3 = {**_SLOPE, **_WHOLE, **_SMALL, **_LARGE, **_SINGLE}


def _out(inputs: dict[str, tuple[float, float]]) -> tuple[str, ...]:
    return tuple(name.replace("_input", "_output") for name in inputs)


CASES = [
    *(Case("BouncingBall", v, ("h", "v"), start={"h": 0.8, "e": 0.6}) for v in (2, 3)),
    *(Case("VanDerPol", v, ("x0", "x1"), start={"mu": 2.0}) for v in (2, 3)),
    *(Case("Dahlquist", v, ("x",), start={"k": 1.5}) for v in (2, 3)),
    *(Case("Stair", v, ("counter",), until=12.0) for v in (2, 3)),
    Case("Feedthrough", 2, _out(_SLOPE | _WHOLE), inputs=_SLOPE | _WHOLE),
    Case("Feedthrough", 3, _out(_ALL_OF_3), inputs=_ALL_OF_3),
    Case(
        "StateSpace", 3, ("y", "x"), until=5.0, start={"u": [1.0, -2.0, 0.5], "x0": [0.1, 0.2, 0.3]}
    ),
]


def unit(case: Case) -> Path:
    """The file of a unit."""
    folder = os.environ.get("HETWIN_FMUS")
    if folder is None:
        pytest.skip("no reference FMUs: HETWIN_FMUS names their folder")
    path = Path(folder) / str(case.version) / f"{case.name}.fmu"
    if not path.exists():
        pytest.skip(f"no reference FMU {path}")
    return path


def in_the_ensemble(case: Case, path: Path) -> Outcome:
    """Step it beside the physics, on the scene as it is at the beginning of each step."""
    parameters = {
        "file": str(path),
        "concepts": ["thing"],
        "outputs": {f"thing.out{i}": name for i, name in enumerate(case.outputs)},
        "inputs": {
            name: {"of": "hand.pose[0]", "factor": factor, "offset": offset}
            for name, (factor, offset) in case.inputs.items()
        },
        "start": case.start,
    }
    return conducted(parameters, case.until)


def conducted(parameters: dict[str, Any], until: float) -> Outcome:
    """Run a unit beside the toy physics."""
    physics = {"type": "support.toys:ToyPhysics", "main": True, "parameters": {"until": until}}
    model = {"type": "fmu", "rate": RATE, "coupling": "beside", "parameters": parameters}
    text = yaml.safe_dump(
        {"scenario": "small", "rate": RATE, "models": {"physics": physics, "unit": model}}
    )
    return run(text)


def by_itself(case: Case, path: Path) -> Any:
    """Let FMPy step it: the same steps, the same inputs."""
    times = np.arange(round(case.until * RATE) + 1) / RATE
    signals = None
    if case.inputs:
        columns = [("time", np.float64)]
        columns += [(n, _type(n)) for n in case.inputs]
        signals = np.zeros(len(times), columns)
        signals["time"] = times
        for name, (factor, offset) in case.inputs.items():
            signals[name] = _as(name, HAND_SPEED * times * factor + offset)
    return fmpy.simulate_fmu(
        str(path),
        stop_time=case.until,
        output_interval=1 / RATE,
        start_values={n: np.array(v) if isinstance(v, list) else v for n, v in case.start.items()},
        input=signals,
        output=list(case.outputs),
        fmi_type="CoSimulation",
    )


def _type(name: str) -> type:
    if name.startswith("Boolean"):
        return np.bool_
    return np.float64 if name.startswith("Float") else np.int64


def _as(name: str, values: Floats) -> Any:
    if name.startswith("Boolean"):
        return values >= 0.5
    return values if name.startswith("Float") else np.array([round(v) for v in values])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_it_steps_as_fmpy_steps_it(case: Case) -> None:
    path = unit(case)
    outcome, alone = in_the_ensemble(case, path), by_itself(case, path)
    scenes = {scene.time_ns: scene for scene in outcome.record.scenes}
    assert outcome.summary.ended == "recording"
    compared = 0
    for row in alone[1:]:
        scene = scenes.get(round(row["time"] * 1e9))
        if scene is None:  # where a unit has ended itself between two steps
            continue
        for i, name in enumerate(case.outputs):
            found = scene.get("thing", f"out{i}")
            expected = np.asarray(row[name], np.float64).ravel()
            assert found == pytest.approx(expected, abs=1e-9, rel=1e-9), f"{name} at {row['time']}"
        compared += 1
    assert compared >= min(len(alone) - 1, RATE)


@pytest.mark.parametrize("version", [2, 3])
def test_one_that_ends_itself_says_so_and_is_no_fault(version: int) -> None:
    case = Case("Stair", version, ("counter",), until=12.0)
    outcome = in_the_ensemble(case, unit(case))
    assert outcome.summary.ended == "recording"
    assert outcome.summary.error is None
    assert outcome.summary.simulated_time == pytest.approx(12.0)
    ended = [event for event in outcome.record.events if event.name == "ended"]
    assert len(ended) == 1
    assert ended[0].arguments["unit"] == "Stair"
    last = outcome.record.scenes[-1]
    assert last.get("thing", "out0")[0] == 10.0


def test_an_array_is_set_from_the_scene() -> None:
    case = Case("StateSpace", 3, ("y",))
    path = unit(case)
    parameters = {
        "file": str(path),
        "concepts": ["thing"],
        "outputs": {"thing.y": "y"},
        "inputs": {"u": "hand.pose[0:3]"},
    }
    outcome = conducted(parameters, case.until)
    times = np.arange(round(case.until * RATE) + 1) / RATE
    signals = np.zeros(len(times), [("time", np.float64), ("u", np.float64, (3,))])
    signals["time"] = times
    signals["u"][:, 0], signals["u"][:, 2] = HAND_SPEED * times, 1.1
    alone = fmpy.simulate_fmu(
        str(path),
        stop_time=case.until,
        output_interval=1 / RATE,
        input=signals,
        output=["y"],
        fmi_type="CoSimulation",
    )
    scenes = outcome.record.scenes
    assert len(scenes) == len(alone) - 1 == RATE * case.until
    for row, scene in zip(alone[1:], scenes, strict=True):
        assert scene.get("thing", "y") == pytest.approx(row["y"], abs=1e-9, rel=1e-9)
