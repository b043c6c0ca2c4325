"""Writes a network as a Lua module, for hosts such as simulators that run Lua 5.4."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from hetwin_machines.cycle import ALL_OF_IT
from hetwin_machines.network import ALL, Advance, Arc, Machine, Network
from hetwin_machines.writing.calls import Calls, names_in, sinks_of

_END = """
function M.new()
  local network = setmetatable(M.parts(), Network)
  network.cycle, network.step, network.is_over, network.signals = 0, -1, false, {}
  for _, machine in ipairs(network.machines) do
    machine.stack, machine.stopped = {}, false
    network:begin(machine)
  end
  return network
end

return M
"""


def lua_code(network: Network, name: str) -> str:
    """Return the text of a Lua module: ``new()`` returns the network, of which ``advance(outside, seen)`` takes a step.

    Args:
        network: what is written.
        name: of the file that it was read from.
    """
    said = " ".join(name.split())
    body = Path(__file__).with_name("runtime.lua").read_text(encoding="utf-8")
    return "\n".join(
        [
            f"-- The network of {said}, written by hetwin machines code.",
            body,
            "local M = {plans = {}}\n",
            *(line for machine in network.machines for line in _plan(machine)),
            *_parts(network),
            _END,
        ]
    )


def _literal(value: bool | float) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "math.mininteger" if value == -(2**63) and isinstance(value, int) else f"({value!r})"


_WRITER = Calls(_literal, lambda name: f's["{name}"]')


def _list(names: Iterable[str]) -> str:
    return "{" + ", ".join(f'"{name}"' for name in names) + "}"


def _parts(network: Network) -> Iterator[str]:
    most = network.max_cycles if network.advance is Advance.SETTLED else 1
    yield "function M.parts()\n  return {"
    yield f"    inputs = {_list(network.inputs)}, events = {_list(network.events)},"
    yield f"    most_cycles = {most}, machines = {{"
    for machine, sinks in zip(network.machines, sinks_of(network).values(), strict=True):
        init = ", ".join(f'["{name}"] = {_literal(v)}' for name, v in machine.init.items())
        ends = ", ".join(f'["{name}"] = true' for name in sinks)
        yield f'      {{name = "{machine.name}", initial = "{machine.initial}", plan = M.plans["{machine.name}"],'
        yield f'       init = {{{init}}}, sinks = {{{ends}}}, on_inactive = "{machine.on_inactive}"}},'
    yield "    },\n  }\nend"


def _plan(machine: Machine) -> Iterator[str]:
    yield f'M.plans["{machine.name}"] = function(state, s)'
    for state, arcs in machine.states.items():
        yield f'  if state == "{state}" then'
        yield from (f"    {line}" for line in _in_state(arcs))
        yield "  end"
    yield "end\n"


def _in_state(arcs: tuple[Arc, ...]) -> Iterator[str]:
    if not arcs:
        yield "do return nil end -- a sink"
        return
    yield from _unset(names_in([arc.guard.node for arc in arcs]))
    yield "local arc, fault = chosen_of({"
    yield from (f"  {_WRITER.write(arc.guard.node)}," for arc in arcs)
    yield "})"
    yield "if fault then return nil, fault end"
    for i, arc in enumerate(arcs, 1):
        yield f"if arc == {i} then"
        yield from (f"  {line}" for line in _taken(arc))
        yield "end"


def _unset(names: list[str]) -> Iterator[str]:
    if names:
        yield f"if not are_set(s, {_list(names)}) then return nil, UNDEFINED end"


def _taken(arc: Arc) -> Iterator[str]:
    yield from _unset(names_in([e.node for e in arc.assignments.values()]))
    yield "local set = {"
    for name, expression in arc.assignments.items():
        yield f'  ["{name}"] = {_WRITER.write(expression.node)},'
    yield "}"
    yield "for _, value in pairs(set) do if value == FAILED then return nil, UNDEFINED end end"
    pops = ALL_OF_IT if arc.pop == ALL else arc.pop
    yield f'return {{set = set, pops = {pops}, push = {_list(arc.push)}, to = "{arc.to}"}}'
