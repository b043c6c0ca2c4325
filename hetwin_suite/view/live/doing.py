"""Does to a run in this process what a user asks for."""

from __future__ import annotations

from hetwin_core.ensemble.conductor.conductor import Conductor
from hetwin_core.ensemble.conductor.controls import Done
from hetwin_core.ensemble.errors import Refused
from hetwin_suite.view.live.hands import Deed, GoOn, HandOver, HoldTo, Pause, Step


def do(conductor: Conductor, deed: Deed, done: Done) -> None:
    """Do it, or say why not; returns at once, and `done` is called once, from any thread."""
    try:
        match deed:
            case Pause():
                conductor.pause()
            case GoOn():
                conductor.resume()
            case Step(steps):
                conductor.step_paused(steps, further=True)
            case HoldTo(factor):
                conductor.hold_to(factor)
            case HandOver(entity, attribute, model):
                return conductor.hand_over(entity, attribute, model, done)
    except Refused as refusal:
        return done(str(refusal))
    return done(None)
