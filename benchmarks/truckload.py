"""One truckload in one mode of fidelity: unloaded action by action, kept after each, gone on with later."""

from __future__ import annotations

import hashlib
import pickle
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path

import mujoco
import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.resources import resource
from hetwin_truck.actions import ACTIONS, Unloader
from hetwin_truck.packets import LOADS, Load, Packet, draw_load
from hetwin_truck.site import URDF, Site
from hetwin_truck.world import truck_sdf
from model_nodes.main_physics.engines.engine import Diverged

_VAIN = 4
"""As many actions in turn that unload nothing end the run."""
_SETTLE_STEPS = 100
_MADE_WITH = "made_with"


@dataclass(slots=True)
class Unloading:
    """One load in one mode, as far as it has got.

    Attributes:
        scenario: A, B or C.
        mode: of fidelity.
        sleep: whether the engine puts resting packets to sleep.
        seed: of the load.
        packets: in the load.
        times: simulated time at the end of each action [s].
        unloaded: packets by each action.
        wall_s: wall time of all actions.
        processor_s: processor time of all actions.
        diverged: actions in which the engine diverged, which were not performed.
        ended: why there is nothing more to do; empty: there is.
        state: of the site, from which it goes on.
    """

    scenario: str
    mode: str
    sleep: bool
    seed: int
    packets: int
    times: list[float] = field(default_factory=list)
    unloaded: list[int] = field(default_factory=list)
    wall_s: float = 0.0
    processor_s: float = 0.0
    diverged: int = 0
    ended: str = ""
    state: object = None

    @property
    def begun(self) -> int:
        """Actions that were begun."""
        return len(self.times) + self.diverged


def unload(run: Unloading, keep: Path | None) -> Iterator[Unloading]:
    """Go on with a run, action by action, until there is nothing more to do."""
    site = Site(_packets(run), sleep=run.sleep)
    unloader = Unloader(site)
    if run.state is None:
        site.settle(_SETTLE_STEPS)
        run.state = site.save()
    else:
        _go_on_from(run, site, keep)
    while not run.ended:
        _act(run, site, unloader)
        run.ended = _ended(run, len(unloader.boxes()))
        if run.ended:
            run.state = None  # a state can be read by the same version only
        if keep is not None:
            _write(keep, run)
        print(
            f"{run.scenario}, {run.mode}, load {run.seed}: {sum(run.unloaded)} of {run.packets} packets in"
            f" {sum(run.times[-1:]):.0f} s, {run.processor_s:.0f} s of processor time {run.ended}",
            file=sys.stderr,
            flush=True,
        )
        yield run


def _go_on_from(run: Unloading, site: Site, keep: Path | None) -> None:
    """Restore the state that was kept.

    Raises:
        BadInput: if it was kept by another version.
    """
    try:
        site.restore(run.state)
    except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
        if keep is None:
            raise
        raise _of_other_version(_file(keep, run), type(error).__name__) from None


def _act(run: Unloading, site: Site, unloader: Unloader) -> None:
    """Perform the next action; one that diverges leaves everything as it was, and the other one is next."""
    begun = time.monotonic()
    cpu = time.process_time()
    try:
        outcome = unloader.perform(ACTIONS[run.begun % len(ACTIONS)], run.mode)
    except Diverged as error:
        print(f"{run.scenario}, {run.mode}: {error}", file=sys.stderr, flush=True)
        run.diverged += 1
        site.restore(run.state)
    else:
        run.unloaded.append(len(outcome.unloaded))
        run.times.append(sum(run.times[-1:]) + outcome.simulated)
        run.state = site.save()
    run.wall_s += time.monotonic() - begun
    run.processor_s += time.process_time() - cpu


def _ended(run: Unloading, reachable: int) -> str:
    if not reachable:
        return "nothing is within reach"
    last = run.unloaded[-_VAIN:]
    if len(last) == _VAIN and not any(last):
        return f"{_VAIN} actions in turn unloaded nothing"
    return f"the engine diverged {_VAIN} times" if run.diverged >= _VAIN else ""


def _file(keep: Path, run: Unloading) -> Path:
    sleep = "_sleep" if run.sleep else ""
    return keep / f"{run.scenario}_{run.mode}{sleep}_{run.seed}_{run.packets}.pickle"


def _write(keep: Path, run: Unloading) -> None:
    keep.mkdir(parents=True, exist_ok=True)
    file = _file(keep, run)
    part = file.with_suffix(".part")
    found = {one.name: getattr(run, one.name) for one in fields(run)}
    part.write_bytes(pickle.dumps({_MADE_WITH: _made_with(run), **found}))
    part.rename(file)


def kept(keep: Path | None, run: Unloading) -> Unloading:
    """Return what is kept of a run, which only this program may have written; else the run itself.

    Raises:
        BadInput: if it is not finished, and another version has written it, which alone can go on with it.
    """
    if keep is None or not _file(keep, run).exists():
        return run
    file = _file(keep, run)
    try:
        read = pickle.loads(file.read_bytes())
        made_with = read.pop(_MADE_WITH, "")
        found = Unloading(**read)
    # A state names classes of the version that has written it, so that reading one can raise anything.
    except Exception as error:
        raise _of_other_version(file, type(error).__name__) from None
    if not found.ended and made_with != _made_with(run):
        raise _of_other_version(file, "another world, robot or engine")
    return found


def _of_other_version(file: Path, found: str) -> BadInput:
    return BadInput(
        "another version has written what is kept of this load, and cannot be gone on from",
        file=file,
        found=found,
        expected="a folder (--keep) of its own, or that this file is removed",
    )


def _made_with(run: Unloading) -> str:
    """Return what a saved state depends on: the world, the robot and the engine."""
    robot = resource(*URDF).read_text(encoding="utf-8")
    parts = [truck_sdf(_packets(run)), robot, mujoco.__version__]
    return hashlib.sha256("".join(parts).encode()).hexdigest()


def _packets(run: Unloading) -> list[Packet]:
    random = np.random.default_rng([run.seed, ord(run.scenario)])
    return draw_load(Load(run.packets, LOADS[run.scenario].height), random)
