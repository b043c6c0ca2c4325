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
MENDED, BREAKS_OFF = "mended", "breaks_off"
"""Findings about messages of a recording that were out of order, misdated or no numbers, and about cut files."""
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


def _seconds(a: Arguments) -> str:
    return f"{_number(a, 'size'):.3g} s"


_MENDED: Mapping[str, Callable[[Arguments], str]] = {
    "sorted": lambda a: f"came up to {_seconds(a)} out of order and were sorted",
    "late": lambda _: "came more than 0.5 s out of order and are left out",
    "set_back": lambda a: (
        f"have stamps of a clock that was set back by {_seconds(a)}; the stamps were shifted"
    ),
    "set_forward": lambda a: f"have stamps of a clock that was set forward by {_seconds(a)} again",
    "stood": lambda a: (
        f"have stamps of a clock that stood for {_seconds(a)}; they are dated by the log"
    ),
    "unset": lambda _: "have the stamp 0; the log times are used instead",
    "other_clock": lambda _: (
        "have header stamps that are more than 1 s from their log times; the log times are used instead"
    ),
    "other_pace": lambda a: (
        "have header stamps of another clock, such as simulated time, which goes on"
        f" {_number(a, 'size'):.3g} times as fast as the log; the log times are used"
        " (--stamps header or log decides)"
    ),
    "before_clock": lambda a: (
        f"were logged by a clock that was not set ({_seconds(a)} since 1970), and are left out"
    ),
    "same_time": lambda _: "have the time of a later one that differs, and are left out",
    "no_positions": lambda _: "have no positions",
    "misfit": lambda _: "have another number of positions than of names, and are left out",
    "efforts_misfit": lambda _: "have another number of efforts than of names, which are left out",
}
"""What was done to messages of a recording."""
_VALUES = {
    "not_a_number": "positions",
    "efforts_not_a_number": "efforts",
}
_MOST_NAMED = 4
"""So many joints are named, others are counted."""


def _mended(a: Arguments) -> str:
    count, of = _number(a, "count"), _number(a, "of")
    values = _VALUES.get(str(a["what"]))
    if values is not None:
        named = f"{values} of {_joints(a)} on {a['topic']}"
        return f"{count:.0f} of {of:.0f} {named} are not numbers and are left out"
    return f"{count:.0f} of {of:.0f} messages on {a['topic']} {_MENDED[str(a['what'])](a)}"


def _joints(a: Arguments) -> str:
    names = a["joints"]
    if not isinstance(names, list):
        raise TypeError("joints")
    more = len(names) - _MOST_NAMED
    shown = ", ".join(str(name) for name in names[:_MOST_NAMED])
    return f"{shown} and {more} more" if more > 0 else shown


def _left_out(a: Arguments) -> str:
    return (
        f"{_number(a, 'count'):.0f} of {_number(a, 'of'):.0f} joint samples are not used,"
        f" {_number(a, 'share'):.2g} of those of {a['joint']}"
    )


def _breaks_off(a: Arguments) -> str:
    share = _number(a, "share")
    lost = f", and {share:.0%} of it cannot be read" if share >= 0.005 else ""
    return (
        f"the recording breaks off at {_number(a, 'until'):.3f} s: {a['file']} was cut off or not"
        f" closed{lost}"
    )


def _other_units(a: Arguments) -> str:
    factor = _number(a, "factor")
    return (
        f"the positions on {a['topic']} look like {a['unit']}: joint limits are passed by a factor of up to"
        f" {factor:.0f} ({_joints(a)}); --units {a['unit']} converts them"
    )


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
    MENDED: _mended,
    "left_out": _left_out,
    BREAKS_OFF: _breaks_off,
    "other_units": _other_units,
    "deviates": _deviates,
    "flung": _flung,
    "fell": _fell,
    DROPPED: _dropped,
    "toppled": _toppled,
    "left_the_world": _left,
    "unexpected_effort": _effort,
    "unexplained_load": _load,
    "task_failed": _task_failed,
    "effort_no_torque": _always(
        "the recorded efforts are no torques of this robot, so that none can stand out"
    ),
    "not_watched": _always("robot_health failed, so that what followed was not watched"),
}
