"""What a function has read of a scene, so that it is called again only when some of that has changed."""

from __future__ import annotations

from collections.abc import Mapping

from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.tables import Table
from hetwin_core.ensemble.scene.values import POSE, Floats, Ints

_PROXIMITY = "proximity"


class Reads:
    """Parts of a scene and what was in them, to the bit."""

    def __init__(self) -> None:
        self._noted: dict[tuple[str, int | None, int | None], bytes] = {}
        self._everything = False

    def note(self, scene: Snapshot, array: str, start: int | None, stop: int | None) -> None:
        """Note that a part of one of the scene's arrays was read; all of it for None."""
        key = (array, start, stop)
        if key not in self._noted:
            self._noted[key] = getattr(scene, array)[start:stop].tobytes()

    def note_everything(self) -> None:
        """Note that nothing is known about what was read."""
        self._everything = True

    def add(self, others: Reads) -> None:
        """Note what something else has read as well."""
        for key, content in others._noted.items():
            self._noted.setdefault(key, content)
        self._everything = self._everything or others._everything

    def unchanged(self, scene: Snapshot) -> bool:
        """Whether a scene holds the same in all these parts.

        Proximity comes last: what else has changed saves computing it.
        """
        if self._everything:
            return False
        distances = None
        for (array, start, stop), before in self._noted.items():
            if array == _PROXIMITY:
                distances = before
            elif getattr(scene, array)[start:stop].tobytes() != before:
                return False
        return distances is None or scene.proximity.tobytes() == distances


class ReadScene:
    """A scene that notes what is read of it; has what a `Snapshot` has.

    Args:
        scene: read only.
        reads: receives what is read.
    """

    def __init__(self, scene: Snapshot, reads: Reads) -> None:
        self._scene = scene
        self._reads = reads
        self.layout: Layout = scene.layout
        self.models: tuple[str, ...] = scene.models

    def get(self, entity: str, attribute: str) -> Floats:
        """See `Snapshot.get`."""
        place = self.layout.range_of(entity, attribute)
        self._reads.note(self._scene, "values", place.start, place.stop)
        return self._scene.values[place]

    def pose(self, entity: str) -> Floats:
        """See `Snapshot.pose`."""
        return self.get(entity, POSE.name)

    def owner(self, entity: str, attribute: str) -> str:
        """See `Snapshot.owner`."""
        slot = self.layout.slot_id(entity, attribute)
        self._reads.note(self._scene, "owners", slot, slot + 1)
        return self._scene.owner(entity, attribute)

    def parent(self, entity: str) -> str:
        """See `Snapshot.parent`."""
        slot = self.layout.slot_id(entity, POSE.name)
        self._reads.note(self._scene, "parents", slot, slot + 1)
        return self._scene.parent(entity)

    @property
    def values(self) -> Floats:
        """See `Snapshot`."""
        self._note_whole("values")
        return self._scene.values

    @property
    def owners(self) -> Ints:
        """See `Snapshot`."""
        self._note_whole("owners")
        return self._scene.owners

    @property
    def parents(self) -> Ints:
        """See `Snapshot`."""
        self._note_whole("parents")
        return self._scene.parents

    @property
    def proximity(self) -> Floats:
        """See `Snapshot`."""
        self._note_whole(_PROXIMITY)
        return self._scene.proximity

    @property
    def time_ns(self) -> int:
        """See `Snapshot`; it changes at every step."""
        self._reads.note_everything()
        return self._scene.time_ns

    @property
    def tables(self) -> Mapping[str, Table]:
        """See `Snapshot`; they change at every step."""
        self._reads.note_everything()
        return self._scene.tables

    def _note_whole(self, array: str) -> None:
        self._reads.note(self._scene, array, None, None)
