"""The model's side of a model in a process of its own: it carries out the conductor's calls, one after the other."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from hetwin_core.ensemble import json_codec
from hetwin_core.ensemble.model import Model
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Value
from hetwin_core.ensemble.transport import step_codec
from hetwin_core.ensemble.transport.own_process.flat_message import FlatMessage
from hetwin_core.ensemble.transport.own_process.link import STEP, Link


def serve(cls: type[Model], link: Link) -> None:
    """Carry out calls until the model has been stopped.

    Args:
        cls: of the model.
        link: to the conductor.
    """
    served = ServedModel(cls, link)
    while not served.is_over:
        if os.eventfd_read(link.asked) == STEP:
            served.step()
            os.eventfd_write(link.stepped, 1)
        else:
            served.call()


class ServedModel:
    """A model whose calls come over a link.

    Args:
        cls: of the model.
        link: to the conductor.

    Attributes:
        is_over: whether it has been stopped.
    """

    def __init__(self, cls: type[Model], link: Link) -> None:
        self.is_over = False
        self._link = link
        self._at_start: Snapshot | None = None
        self._cls = cls
        self._made: Model | None = None
        self._calls: Mapping[str, Callable[..., Any]] = {
            "register": self._register,
            "parameters": lambda: list(self._model.parameters()),
            "initialize": lambda *given: self._model.initialize(*given),
            "start": self._start,
            "take": self._take,
            "release": self._release,
            "command": lambda *given: self._model.command(*given),
            "stop": self._stop,
        }

    @property
    def _model(self) -> Model:
        assert self._made is not None
        return self._made

    def call(self) -> None:
        """Carry out the next call in the pipe, and send its result, or its error as text."""
        name, arguments = self._link.model.recv()
        try:
            self._link.model.send((self._calls[name](*arguments), ""))
        except (Exception, SystemExit) as error:
            self._link.model.send((None, json_codec.error_to_text(error)))

    def step(self) -> None:
        """Take the step in the memory, and leave its output or its error there."""
        link = self._link
        try:
            message = FlatMessage()
            tick, _ = step_codec.read_step(FlatMessage.of(link.request.read()), self._started())
            output = self._model.step(tick)
            step_codec.fill_output(message, output, tick.scene.layout)
            link.output.write(message.parts())
        except (Exception, SystemExit) as error:
            link.output.write(FlatMessage(error=json_codec.error_to_text(error)).parts())

    def _register(self) -> None:
        self._made = self._cls()

    def _start(self, scene: Snapshot) -> None:
        self._at_start = scene
        self._model.start(scene)

    def _take(self, entity: str, attribute: str, value: Value) -> None:
        self._model.take(entity, attribute, value, self._scene())

    def _release(self, entity: str, attribute: str) -> Value:
        return self._model.release(entity, attribute, self._scene())

    def _stop(self) -> None:
        self.is_over = True
        self._model.stop()

    def _started(self) -> Snapshot:
        if self._at_start is None:
            raise RuntimeError("the model is not active; expected a start before this call")
        return self._at_start

    def _scene(self) -> Snapshot:
        """The state that the conductor has left in the memory."""
        message = FlatMessage.of(self._link.request.read())
        tick, _ = step_codec.read_step(message, self._started())
        return tick.scene
