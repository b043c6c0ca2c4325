"""The wording of concerns and touches: what robot and objects do, in one line without its time."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from hetwin_core.ensemble.events import Json

ROBOT_HEALTH = "robot_health"
"""Name and type of the observer that raises concerns; it is added to ensembles whose main model can be watched."""
TOUCHED, TOUCH_ENDED = "touched", "touch_ended"
"""Its events about what links of the robot touch, which are no concerns."""

COVERAGE = "coverage"
"""Name of the event with which this observer says that a claim is checked from then on, or not."""

CLOSED_ON_SOMETHING = "closed_on_something"
"""Event of a grasp monitor: the fingers have closed and stopped short of their end, with nothing of the scene between
them: on something that the scene does not have, or as they were commanded."""
LET_GO_OF_SOMETHING = "let_go_of_something"
"""That is over: the fingers opened, closed further to their end, or hold an object of the scene."""
DROPPED = "dropped"
"""The event of an observer of hands that is a concern where it was not meant; it then has a severity."""

Arguments = Mapping[str, Json]


def concern_text(name: str, arguments: Arguments) -> str:
    """A concern in words, e.g. ``forearm is 3.2 cm inside table``; any name and arguments have some."""
    words = _WORDS.get(name, _any(name))
    try:
        return words(arguments)
    except (KeyError, TypeError, ValueError):  # of an older or newer version
        return _any(name)(arguments)


def length(metres: float) -> str:
    """A length as people read it: in mm below 1 cm, in cm below 1 m."""
    size = abs(metres)
    if size < 0.01:
        return f"{metres * 1e3:.2g} mm"
    return f"{metres * 1e2:.3g} cm" if size < 1.0 else f"{metres:.3g} m"


def _any(name: str) -> Callable[[Arguments], str]:
    def words(arguments: Arguments) -> str:
        said = ", ".join(
            f"{key} {value:.4g}" if isinstance(value, float) else f"{key} {value}"
            for key, value in arguments.items()
            if value is not None and key not in ("severity", "from", "to")
        )
        return name.replace("_", " ") + (f" ({said})" if said else "")

    return words


def _number(arguments: Arguments, key: str) -> float:
    value = arguments[key]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(key)
    return float(value)


def _touches(a: Arguments) -> str:
    depth, moved = _number(a, "depth"), a.get("moved")
    more = [f"is {length(depth)} inside"] if depth > 0 else []
    more += [f"moves it by {length(_number(a, 'moved'))}"] if moved else []
    return " and ".join((f"{a['link']} touches {a['partner']}", *more))


def _touched(a: Arguments) -> str:
    lasted = f" for {_number(a, 'to') - _number(a, 'from'):.2f} s" if "to" in a else ""
    known = [] if a["depth"] is None else [f"{length(_number(a, 'depth'))} inside"]
    known += [] if a["force"] is None else [f"{_number(a, 'force'):.3g} N"]
    said = f" ({', '.join(known)})" if known else ""
    return f"{a['link']} touched {a['object']}{lasted}{said}"


def _starts_inside(a: Arguments) -> str:
    thing = a.get("link") or a["object"]
    return f"{thing} is {length(_number(a, 'depth'))} inside {a['partner']} at the start"


def _beyond(a: Arguments) -> str:
    found, limit = _number(a, "found"), _number(a, "limit")
    return f"{a['joint']} is beyond its {a['quantity']} limit: {found:.4g}, limit {limit:.4g}"


def _jump(a: Arguments) -> str:
    return f"{a['joint']} jumps by {_number(a, 'step'):.3g} in the recording"


def _gap(a: Arguments) -> str:
    return f"nothing is recorded on {a['topic']} for {_number(a, 'duration'):.2f} s"


def _contradiction(a: Arguments) -> str:
    size = _number(a, "size")
    return f"{a['topic']} and {a['other']} contradict each other on {a['joint']} by {size:.3g}"


def _deviates(a: Arguments) -> str:
    return f"{a['joint']} deviates from the recording by {_number(a, 'deviation'):.3g}"


def _flung(a: Arguments) -> str:
    return f"{a['object']} is flung at {_number(a, 'speed'):.3g} m/s"


def _fell(a: Arguments) -> str:
    return f"{a['object']} fell by {length(_number(a, 'height'))}"


def _dropped(a: Arguments) -> str:
    return f"{a['object']} dropped by {a['hand']} ({length(_number(a, 'height'))})"


def _toppled(a: Arguments) -> str:
    return f"{a['object']} toppled by {math.degrees(_number(a, 'angle')):.0f} degrees"


def _left(a: Arguments) -> str:
    return f"{a['object']} left the world"


def _effort(a: Arguments) -> str:
    return f"{a['joint']} feels {_residual(a)} that the model does not expect"


def _load(a: Arguments) -> str:
    return f"{a['joint']} carries {_residual(a)} that the model does not expect"


def _residual(a: Arguments) -> str:
    """An effort with its unit, which older logs do not have."""
    return f"{_number(a, 'residual'):.3g} {a.get('unit') or ''}".rstrip()


def _task_failed(a: Arguments) -> str:
    return f"the task {a['task']} failed" + (f": {a['reason']}" if a.get("reason") else "")


def _goal_missed(a: Arguments) -> str:
    return f"the task {a['task']} is done, but {a['goal']} does not hold{_instead(a)}"


def _outcome_missed(a: Arguments) -> str:
    return f"the outcome {a['outcome']} did not come about{_instead(a)}"


def _instead(a: Arguments) -> str:
    return f": {a['instead']}" if a.get("instead") else ""


def _always(text: str) -> Callable[[Arguments], str]:
    return lambda _: text


_WORDS: Mapping[str, Callable[[Arguments], str]] = {
    "link_touches": _touches,
    "touched": _touched,
    "touch_ended": _touched,
    "starts_inside": _starts_inside,
    "beyond_limit": _beyond,
    "jump": _jump,
    "gap": _gap,
    "contradiction": _contradiction,
    "deviates": _deviates,
    "flung": _flung,
    "fell": _fell,
    DROPPED: _dropped,
    "toppled": _toppled,
    "left_the_world": _left,
    "unexpected_effort": _effort,
    "unexplained_load": _load,
    "task_failed": _task_failed,
    "goal_missed": _goal_missed,
    "outcome_missed": _outcome_missed,
    "effort_no_torque": _always(
        "the recorded efforts are no torques of this robot, so that none can stand out"
    ),
    "not_watched": _always("robot_health failed, so that what followed was not watched"),
}
