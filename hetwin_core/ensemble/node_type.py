"""Models without a Python class: ROS nodes of any language, which the scenario describes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from hetwin_core.ensemble.model import Changes, Model, Tick
from hetwin_core.ensemble.parameters import ParameterKind, ParameterRequest
from hetwin_core.ensemble.scene.values import AttributeSpec

NODE = "node"
"""Type of such a model in a scenario."""


class NodeOfAnyLanguage(Model):
    """A model that a ROS node implements with `ModelCall` and `ModelOutput`; it is never instantiated here."""

    requested: ClassVar[tuple[ParameterRequest, ...]] = ()

    def __init__(self) -> None:
        raise TypeError("a model of type node is a ROS node; this run does not reach it")

    @classmethod
    def requests(cls) -> tuple[ParameterRequest, ...]:
        """The scenario's parameters, which are sent unchanged."""
        return cls.requested

    def step(self, tick: Tick) -> Changes | None:
        """Never called: the node steps.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError("the node steps; this class only describes it")


def node_class(provides: Iterable[str], parameters: Iterable[str]) -> type[NodeOfAnyLanguage]:
    """Return the class that describes a node.

    Args:
        provides: names of the attributes that it can be responsible for.
        parameters: names of the parameters that the scenario gives.
    """

    class Described(NodeOfAnyLanguage):
        """A model that is a ROS node of any language."""

    Described.provides = tuple(AttributeSpec(name) for name in provides)
    Described.requested = tuple(
        ParameterRequest(name, ParameterKind.ANY, required=False) for name in parameters
    )
    return Described
