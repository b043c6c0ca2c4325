"""Measures evidence of grasps and connections on labelled recordings of real robots, which hetwin was not fitted on.

The folder holds `pickapp`, `icub`, `hiro` and `ur3` as its own README describes them; a set that is absent is left
out by name. Constants of the curves come from the proxy picks of one half; `--fit` prints those of the given folder.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from machine import machine
from numpy.typing import NDArray

from hetwin_evidence.learning import tactile_rise
from hetwin_evidence.likelihood import CURVES, Claim, Voice, claim, silent, voice
from hetwin_evidence.quantities import (
    SETTLED_S,
    abrupt_release,
    finger_shortfall,
    gravity_direction,
    pull_test,
    snaps,
    weight_change,
)
from hetwin_futures.scores import Scores, area_under_curve, score

EXAMPLES = """examples:
  python benchmarks/evidence.py --data ../shared/data/evidence
  python benchmarks/evidence.py --data DIR --json
  python benchmarks/evidence.py --data DIR --fit
"""
Array = NDArray[np.float64]
CLOSING = slice(2, 9)
"""Joints of the iCub's hand that close: all but abduction and opposition of the thumb."""
DRAWS, REFERENCES = 200, 5


@dataclass(frozen=True)
class Line:
    """A figure beside what is asked of it."""

    name: str
    value: float
    asked: str
    met: bool


def at_least(name: str, value: float, least: float) -> Line:
    """A figure that shall not be below ``least``."""
    return Line(name, round(float(value), 4), f">= {least:g}", bool(value >= least))


def at_most(name: str, value: float, most: float) -> Line:
    """A figure that shall not be above ``most``."""
    return Line(name, round(float(value), 4), f"<= {most:g}", bool(value <= most))


@dataclass(frozen=True)
class Picks:
    """Picks of a UR5e (PickApp): wrench while the fingers close and while the robot pulls, outcome, pose."""

    real: NDArray[np.bool_]
    picked: NDArray[np.bool_]
    group: NDArray[np.int64]
    pull: list[Array]
    release: Array
    weight: Array
    """NaN where the orientation of the hand is not recorded."""
    impact: Array
    """NaN where no accelerometer was recorded."""

    @property
    def quantities(self) -> dict[str, Array]:
        """The quantities by the names of their curves."""
        return {"abrupt_release": self.release, "weight_change": self.weight}


def picks(folder: Path) -> Picks:
    """Read the picks and compute their quantities."""
    kept = np.load(folder / "pickapp.npz")
    pull = [np.asarray(kept[f"pw_{trial}"], dtype=np.float64) for trial in kept["trial"]]
    release = np.array([abrupt_release(one[:, 0], one[:, 1:4]) for one in pull])
    weight = [_weight(kept, str(trial)) for trial in kept["trial"]]
    impact = [_impact(kept, str(trial)) for trial in kept["trial"]]
    return Picks(
        *(kept["real"], kept["success"], kept["group"], pull, release),
        np.array(weight),
        np.array(impact),
    )


def _impact(kept: Any, trial: str) -> float:
    """How far the acceleration of the fingers gets from its median, the median of the fingers."""
    names = [f"pi{finger}_{trial}" for finger in (1, 2, 3)]
    sizes = [np.linalg.norm(kept[name][:, 1:4], axis=1) for name in names if name in kept.files]
    jolts = [float(np.abs(one - np.median(one)).max()) for one in sizes if len(one)]
    return float(np.median(jolts)) if jolts else float("nan")


def _weight(kept: Any, trial: str) -> float:
    if f"eef_{trial}" not in kept.files:
        return float("nan")
    grasp, pull = kept[f"gw_{trial}"], kept[f"pw_{trial}"]
    before = grasp[grasp[:, 0] <= grasp[0, 0] + SETTLED_S, 1:4]
    after = pull[pull[:, 0] >= pull[-1, 0] - SETTLED_S, 1:4]
    return weight_change(before, after, gravity_direction(kept[f"eef_{trial}"][3:7]))


def fitted(quantity: Array, labels: NDArray[np.bool_]) -> tuple[float, float]:
    """Return where a logistic curve is even, and its slope, by maximum likelihood."""
    seen = np.stack([np.ones_like(quantity), quantity], axis=1)
    weights = np.zeros(2)
    for _ in range(50):  # Newton's method; the cost is convex
        p = 1.0 / (1.0 + np.exp(-seen @ weights))
        bend = (seen * (p * (1.0 - p))[:, None]).T @ seen
        weights -= np.linalg.solve(bend + 1e-9 * np.eye(2), seen.T @ (p - labels))
    return float(-weights[0] / weights[1]), float(weights[1])


def left_out(data: Picks) -> Scores:
    """Scores of proxy picks by both quantities, with curves fitted on the other poses."""
    proxy = ~data.real & ~np.isnan(data.weight)
    claimed = np.full(len(data.picked), np.nan)
    for group in np.unique(data.group[proxy]):
        others = proxy & (data.group != group)
        refitted = {
            name: replace(CURVES[name], neutral=even, slope=slope)
            for name, values in data.quantities.items()
            for even, slope in [fitted(values[others], data.picked[others])]
        }
        for one in np.flatnonzero(proxy & (data.group == group)):
            voices = [
                Voice(name, values[one], refitted[name].unit, refitted[name].log_ratio(values[one]))
                for name, values in data.quantities.items()
            ]
            claimed[one] = claim("held", voices).probability
    return score(claimed[proxy], data.picked[proxy], data.group[proxy].tolist())


def pickapp(folder: Path) -> Iterator[Line]:
    """Picks: quantities at fixed thresholds, and probabilities."""
    data = picks(folder)
    for name, chosen in (("proxy", ~data.real), ("real", data.real)):
        release, picked = data.release[chosen], data.picked[chosen]
        yield at_least(f"{name} R: AUC", area_under_curve(release, picked), 0.9)
        yield at_least(f"{name} R > 0.6: sensitivity", (release > 0.6)[picked].mean(), 0.8)
        yield at_least(f"{name} R > 0.6: specificity", (release <= 0.6)[~picked].mean(), 0.8)
    weighed = ~data.real & ~np.isnan(data.weight)
    heavy, picked = data.weight[weighed] > 0.5, data.picked[weighed]
    balanced = (heavy[picked].mean() + (~heavy)[~picked].mean()) / 2.0
    yield at_least("proxy dW > 0.5 N: balanced accuracy", balanced, 0.9)
    for name, chosen in (("proxy", ~data.real), ("real", data.real)):
        felt = chosen & ~np.isnan(data.impact)
        area = area_under_curve(data.impact[felt], data.picked[felt])
        yield at_least(f"{name} impact, which never decides alone: AUC", area, 0.5)
    both = left_out(data)
    yield at_most("proxy R, dW: Brier", both.brier.value, 0.08)
    yield at_least("proxy R, dW: decided", both.decided.p, 0.8)
    yield at_least("proxy R, dW: decided and right", both.right.p, 0.93)
    yield at_most("proxy R, dW: calibration error", both.calibration_error.value, 0.12)
    claims = [_by_release(one[:, 0], one[:, 1:4]) for one in data.pull]
    probability = np.array([one.probability for one in claims])
    real = score(probability[data.real], data.picked[data.real], data.group[data.real].tolist())
    yield at_most("real R: Brier", real.brier.value, 0.1)
    yield at_least("real R: decided", real.decided.p, 0.75)
    yield at_least("real R: decided and right", real.right.p, 0.9)
    yield at_most("real R: calibration error", real.calibration_error.value, 0.12)
    yield from _same_verdicts(data, claims)


def _by_release(stamps: Array, forces: Array) -> Claim:
    return claim("released", [voice("abrupt_release", abrupt_release(stamps, forces))])


def _same_verdicts(data: Picks, claims: Sequence[Claim]) -> Iterator[Line]:
    """What separates batches of trials and not outcomes changes no verdict."""
    changes: dict[str, Callable[[Array], tuple[Array, Array]]] = {
        "offset of 7 N": lambda pull: (pull[:, 0], pull[:, 1:4] + [4.0, -4.0, 4.0]),
        "start 1000 s later": lambda pull: (pull[:, 0] + 1000.0, pull[:, 1:4]),
        "time stretched by 30 %": lambda pull: (1.3 * pull[:, 0], pull[:, 1:4]),
    }
    for name, change in changes.items():
        changed = [_by_release(*change(pull)) for pull in data.pull]
        pairs = list(zip(claims, changed, strict=True))
        yield at_most(f"{name}: verdicts changed", sum(a.known != b.known for a, b in pairs), 0)


def icub(folder: Path) -> Iterator[Line]:
    """Grasps of a hand: fingers and tactile sensors beside empty closings of the same hand."""
    kept = np.load(folder / "icub.npz")
    held, what = kept["held"].astype(bool), kept["object"]
    ends = np.array([np.deg2rad(kept[f"enc_{trial}"][-1, CLOSING]) for trial in kept["trial"]])
    pressed = np.array([255.0 - kept[f"tac_{trial}"][-1].ravel() for trial in kept["trial"]])
    empty, random = np.flatnonzero(~held), np.random.default_rng(0)
    rows = []
    for _ in range(DRAWS):
        known = random.choice(empty, min(REFERENCES, len(empty) - 1), replace=False)
        judged = np.setdiff1d(np.arange(len(held)), known)
        claims = [_grasp(ends[one], pressed[one], ends[known], pressed[known]) for one in judged]
        p = np.array([one.probability for one in claims])
        said = p > 0.5
        objects = [said[what[judged] == name].mean() for name in np.unique(what[held])]
        decided = np.mean([one.known is not None for one in claims])
        rows.append((np.mean(objects), said[~held[judged]].mean(), decided))
    sensitivity, false, decided = np.mean(rows, axis=0)
    yield at_least("D or tactile, 5 references: sensitivity, mean of objects", sensitivity, 0.85)
    yield at_most("D or tactile, 5 references: false positives", false, 0.2)
    yield at_least("D or tactile, 5 references: decided", decided, 0.75)
    why = "no empty closing of this hand is known"
    without = claim("held", [silent("finger_shortfall", why), silent("tactile_rise", why)])
    yield at_most("without a reference: probability", without.probability, 0.95)


def _grasp(end: Array, pressed: Array, ends: Array, empty: Array) -> Claim:
    fingers = voice("finger_shortfall", finger_shortfall(end, ends))
    return claim("held", [fingers, voice("tactile_rise", tactile_rise(pressed, empty))])


def connected(snapped: int, pulls: Array, travels: Array) -> Claim:
    """How sure a connection is after pushing and, perhaps, pulling."""
    came = pull_test(pulls, travels)
    pulled = silent("pull_test", "nobody pulled") if came is None else voice("pull_test", came)
    return claim("connected", [voice("snap", float(snapped)), pulled])


def hiro(folder: Path) -> Iterator[Line]:
    """Snap assemblies, whose labels cannot be told from the batch of the trial: a snap is found, nothing is proven."""
    kept = np.load(folder / "hiro.npz")
    began = {str(trial): _mating(kept, str(trial)) for trial in kept["trial"]}
    found, false, seconds, probabilities = 0, 0, 0.0, []
    for trial, mating in began.items():
        wrench = kept[f"w_{trial}"]
        times = snaps(wrench[:, 0], wrench[:, 1:4])
        near = [one for one in times if mating is not None and -0.3 <= one - mating <= 1.0]
        found, false = found + bool(near), false + len(times) - len(near)
        seconds += float(wrench[-1, 0] - wrench[0, 0])
        if mating is not None:
            still = np.zeros(1)
            probabilities.append(connected(len(times), still, still).probability)
    reached = sum(mating is not None for mating in began.values())
    yield at_least(f"snaps found in {reached} that reached mating", found / reached, 4 / 6)
    yield at_most("false snaps a minute", false * 60.0 / seconds, 6.0)
    yield at_least("least P(connected) of those that reached mating", min(probabilities), 0.2)
    yield at_most("largest P(connected) of those that reached mating", max(probabilities), 0.8)


def _mating(kept: Any, trial: str) -> float | None:
    """When mating begins [s]; that of one trial whose phases are cut short is known from its wrench."""
    phases = kept[f"s_{trial}"] if f"s_{trial}" in kept.files else np.zeros(0)
    if len(phases) >= 4:
        return float(phases[3])
    return 7.78 if trial.endswith("ERROR-14") else None


def ur3(folder: Path) -> Iterator[Line]:
    """A robot whose signals come once a second: nothing is known."""
    with gzip.open(folder / "cobotops.csv.gz", "rt", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    current = np.array([float(row["Tool_current"] or "nan") for row in rows])
    current = current[np.isfinite(current)]
    try:
        heard = voice(
            "abrupt_release", abrupt_release(np.arange(len(current)), np.tile(current[:, None], 3))
        )
    except ValueError as error:
        heard = silent("abrupt_release", str(error))
    yield at_most("claims that are known", claim("held", [heard]).known is not None, 0)


SETS: dict[str, Callable[[Path], Iterator[Line]]] = {
    "pickapp": pickapp,
    "icub": icub,
    "hiro": hiro,
    "ur3": ur3,
}


def measure(data: Path) -> dict[str, list[Line] | str]:
    """Return the lines of each set, or why it is left out."""
    found: dict[str, list[Line] | str] = {}
    for name, judge in SETS.items():
        folder = data / name
        found[name] = list(judge(folder)) if folder.is_dir() else f"{folder} is absent"
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and measure; 1 if a figure is not what is asked, 2 without data."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--data", type=Path, required=True, help="folder of the labelled recordings"
    )
    parser.add_argument(
        "--fit", action="store_true", help="print the constants that the proxy picks give"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args(arguments)
    if not any((given.data / name).is_dir() for name in SETS):
        print(f"{given.data}: none of {', '.join(SETS)} is there", file=sys.stderr)
        return 2
    if given.fit:
        data = picks(given.data / "pickapp")
        proxy = ~data.real & ~np.isnan(data.weight)
        for name, values in data.quantities.items():
            even, slope = fitted(values[proxy], data.picked[proxy])
            print(f"{name}: even {even:.3f}, slope {slope:.2f}")
        return 0
    found = measure(given.data)
    lines = [line for one in found.values() if not isinstance(one, str) for line in one]
    if given.json:
        sets = {
            k: v if isinstance(v, str) else [asdict(one) for one in v] for k, v in found.items()
        }
        print(json.dumps({"machine": machine(), "sets": sets}, indent=1))
    else:
        for name, one in found.items():
            print(f"{name}: {one}" if isinstance(one, str) else f"{name}:")
            for line in () if isinstance(one, str) else one:
                print(
                    f"  {'ok  ' if line.met else 'MISS'} {line.name}: {line.value:g} ({line.asked})"
                )
    return 0 if all(line.met for line in lines) else 1


if __name__ == "__main__":
    sys.exit(main())
