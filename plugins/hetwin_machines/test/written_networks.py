"""What written networks do, in the words of `NetworkRun`'s lines: C by a compiler, Lua by lupa, a node by rclpy."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hetwin_machines.expressions.operations import Value
from hetwin_machines.network import Network
from hetwin_machines.running import NetworkRun
from hetwin_machines.writing.c_code import c_code
from hetwin_machines.writing.lua_code import lua_code

Rows = list[dict[str, Any]]
STRICT = ("-Wall", "-Wextra", "-Werror", "-std=c99", "-O0")


def lines_of(network: Network, rows: Rows) -> Rows:
    run, lines = NetworkRun(network), []
    for row in rows:
        lines += list(run.step(row))
        if run.is_over:
            break
    return [typed(line) for line in lines]


def typed(line: Mapping[str, Any]) -> dict[str, Any]:
    return {**line, "signals": {k: (type(v), v) for k, v in line["signals"].items()}}


def built(network: Network, folder: Path) -> Path:
    (folder / "network.c").write_text(c_code(network, "random.yaml"), encoding="utf-8")
    program = folder / "network"
    command = ["cc", *STRICT, "-DNETWORK_MAIN", folder / "network.c", "-o", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return program


def c_lines(network: Network, rows: Rows, folder: Path) -> Rows:
    names = (*network.inputs, *network.events)
    words = "".join(" ".join(str(row.get(n, "-")).lower() for n in names) + "\n" for row in rows)
    program = built(network, folder)
    done = subprocess.run(program, input=words, capture_output=True, text=True, check=True)
    return [typed(_from_words(network, line.split())) for line in done.stdout.splitlines()]


def _from_words(network: Network, words: list[str]) -> dict[str, Any]:
    cycle, step, *more = words
    states, values = more[: len(network.machines)], more[len(network.machines) :]
    machines = {}
    for machine, word in zip(network.machines, states, strict=True):
        state, *stack = word.split(",")
        machines[machine.name] = {"state": state, "stack": stack}
    signals = dict(zip(network.signals, map(_value, values), strict=True))
    return {"cycle": int(cycle), "step": int(step), "machines": machines, "signals": signals}


def _value(word: str) -> Value | None:
    if word in ("null", "true", "false"):
        return {"null": None, "true": True, "false": False}[word]
    return float(word) if "." in word or "e" in word else int(word)


def lua_lines(network: Network, rows: Rows) -> Rows:
    from lupa.lua54 import LuaRuntime

    runtime = LuaRuntime()
    going = runtime.execute(lua_code(network, "random.yaml")).new()
    lines: Rows = []

    def seen(now: Any) -> None:
        machines = {
            m.name: {"state": m.state, "stack": list(m.stack.values())}
            for m in now.machines.values()
        }
        signals = {name: now.signals[name] for name in network.signals}
        said = {"cycle": now.cycle, "step": now.step, "machines": machines, "signals": signals}
        lines.append(typed(said))

    for row in rows:
        going.advance(going, runtime.table_from(row), seen)
        if going.is_over:
            break
    return lines
