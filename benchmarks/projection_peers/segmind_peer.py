"""segmind's detector of picking up, from its sources, on contacts and motion that it is given.

Its own detectors of contact and motion need a world of its own with all that it imports, so that these are given to
it as events; what it concludes from them is its own. Its events are stamped by the wall clock; here each has the time
of the event after which the detector reported it.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from in_turn import Absent

from projection_peers.raw import Raw, spans, touching

_ABSENT = ("giskardpy", "semantic_digital_twin", "segmind.datastructures.event_plotter")
_MOVING_M_PER_S = 0.005


class Segmind:
    """The detector.

    Args:
        raw: the log.
        sources: folder with the package ``segmind`` in it.
    """

    def __init__(self, raw: Raw, sources: Path | None) -> None:
        if sources is None or not (sources / "segmind").is_dir():
            raise Absent("segmind's sources are not there; --segmind names their folder")
        with _stand_ins(sources):
            self._detectors = importlib.import_module(
                "segmind.detectors.coarse_event_detector_nodes"
            )
            self._events = importlib.import_module("segmind.datastructures.events")
        self._raw = raw

    def ask(self, question: str) -> Any:
        """Return the answer, or None if there is no way to ask."""
        if question != "picked":
            return None
        logged: list[Any] = []
        context = SimpleNamespace(
            logger=SimpleNamespace(get_events=lambda: logged), placing_pairs=set()
        )
        detector = self._detectors.PickUpDetector
        found: list[float] = []
        for time, event in sorted(self._given(), key=lambda pair: pair[0]):
            logged.append(event)
            new = detector.update_context_and_events(_Bare(detector), None, context, [])
            found += [time] * len(new)
        return found

    def _given(self) -> Iterator[tuple[float, Any]]:
        raw, names = self._raw, self._raw.names
        bodies = {name: _Body(name, name) for name in raw.entities}
        thing = bodies[names.thing]
        for support in (names.support, names.target):
            for _, until in touching(raw, names.thing, support):
                if until < raw.times[-1]:
                    yield until, self._event("LossOfSupportEvent", until, thing, bodies[support])
        places = raw.poses[names.thing][:, :3]
        speed = np.linalg.norm(np.gradient(places, raw.times, axis=0), axis=1)
        for begin, _ in spans(raw.times, speed > _MOVING_M_PER_S, gap=10):
            yield begin, self._event("TranslationEvent", begin, thing, None)

    def _event(self, kind: str, time: float, thing: Any, other: Any) -> Any:
        made = object.__new__(getattr(self._events, kind))
        made.timestamp = datetime.fromtimestamp(time, UTC)
        made.tracked_object, made.with_object = thing, other
        return made


class _Body(NamedTuple):
    id: str
    name: str


class _Bare:
    """The detector without the graph of nodes that it is a part of."""

    def __init__(self, detector: type) -> None:
        self.shift_threshold = detector.shift_threshold  # type: ignore[attr-defined]
        self._find = detector._find_interaction_events  # type: ignore[attr-defined]

    def _find_interaction_events(self, *arguments: Any, **more: Any) -> Any:
        return self._find(self, *arguments, **more)


class _StandIn(ModuleType):
    """A module that has a class of any name."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__path__ = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (), {})
        setattr(self, name, made)
        return made


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name.startswith(_ABSENT):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return _StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """A stand-in has nothing to run."""


@contextmanager
def _stand_ins(sources: Path) -> Iterator[None]:
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    sys.path.insert(0, str(sources))
    try:
        yield
    except ImportError as error:
        raise Absent(f"segmind cannot be imported: {error}") from error
    finally:
        sys.meta_path.remove(finder)
        sys.path.remove(str(sources))
