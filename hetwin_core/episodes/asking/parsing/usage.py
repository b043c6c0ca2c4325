"""How the functions of questions are called."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from hetwin_core.episodes.asking.relations import RELATIONS

_OWN = (
    *("holds(fluent, time)", "believed(fluent or event, time)", "occurs(event[, time])"),
    *("value(loc(entity) or expression, time)", "variable(name or loc(entity), time[, task])"),
    *("count(list or fluent)", "incorrect_belief(fluent, time or any)", "expected(event)"),
    "causes(event), causes(cause, event) or causes(fluent, belief, moment)",
    *("task(id or operation)", "tasks([operation])", "supertask(task)", "goal(task)"),
    *("at(moment)", "during(from, to) or during(task)", "throughout(from, to) or throughout(task)"),
    *("any or any(name)", "event(name, ...)", "fluent(name, ...)"),
)

USAGE: Mapping[str, str] = MappingProxyType(
    {
        **{name: f"{name}(one, other) of tasks, events, fluents" for name in RELATIONS},
        **{text.partition("(")[0].partition(" ")[0]: text for text in _OWN},
    }
)
"""Function -> how it is called."""
