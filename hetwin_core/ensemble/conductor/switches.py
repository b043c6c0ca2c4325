"""Models whose steps are switched off while nobody needs them (paper 1, section 4.3: scripts)."""

from __future__ import annotations

from collections.abc import Sequence

from hetwin_core.ensemble.scene.fidelity import FIDELITY, Fidelity
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.scene import Scene
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.transport.port import ModelPort


class Switches:
    """Knows which models step: all but those whose entity of the same name has a low ``fidelity``.

    A model coupled beside the main model has set out on its step already when it is due, and is never left out.
    """

    def __init__(self, layout: Layout, ports: Sequence[ModelPort]) -> None:
        self._offsets = {
            port.plan.index: layout.range_of(port.plan.name, FIDELITY.name).start
            for port in ports
            if layout.has(port.plan.name, FIDELITY.name)
            and not port.plan.beside
            and not port.plan.main
        }

    def on(self, due: Sequence[ModelPort], scene: Scene) -> Sequence[ModelPort]:
        """Those that step."""
        if not self._offsets:
            return due
        values = scene.snapshot().values
        return [p for p in due if not self._is_off(p.plan.index, values)]

    def _is_off(self, index: int, values: Floats) -> bool:
        at = self._offsets.get(index)
        return at is not None and Fidelity.of(values[at]) is Fidelity.LOW
