"""Objects whose state is a few of their attributes, which they name."""

from __future__ import annotations

from typing import ClassVar

from hetwin_core.ensemble.saving.plain import Plain, Unsaveable
from hetwin_core.ensemble.saving.rebuild import rebuild
from hetwin_core.ensemble.saving.record import record


class Restorable:
    """Has a state that can be saved and restored.

    Attributes:
        saved_fields: names of the attributes that change during a run.
    """

    saved_fields: ClassVar[tuple[str, ...]]

    def save(self) -> dict[str, Plain]:
        """Return the state as plain data.

        Raises:
            Unsaveable: if something in it cannot be recorded.
        """
        name = type(self).__name__
        saved = record({field: getattr(self, field) for field in self.saved_fields}, name=name)
        assert isinstance(saved, dict)
        return saved

    def restore(self, saved: Plain) -> None:
        """Get a saved state back.

        Raises:
            Unsaveable: if it is not the state of such an object.
        """
        name = type(self).__name__
        fields = rebuild(saved, {f: getattr(self, f) for f in self.saved_fields}, name=name)
        if not isinstance(fields, dict) or set(fields) != set(self.saved_fields):
            raise Unsaveable(f"this is not the state of {name}")
        for field, value in fields.items():
            setattr(self, field, value)
