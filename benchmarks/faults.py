"""Tests how a co-simulation ends when one of its models fails: hetwin, mosaik and HELICS under the same faults.

Each row is a separate run that is monitored from outside; see `python benchmarks/faults.py --help`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections.abc import Iterator
from typing import Any

from fault_cases import rows
from fault_peers import PEERS, suffer_peer
from fault_runs import empty_folder, suffer
from random_faults import random_case


def main() -> None:
    """Run the selected rows and print them."""
    arguments = _arguments()
    table = []
    for row in _rows(arguments):
        table.append(row)
        print(_line(row), file=sys.stderr, flush=True)
    if arguments.json:
        print(json.dumps({"rows": table}, indent=2))
    elif arguments.markdown:
        print(_markdown(table))
    sys.exit(0 if all(r["ok"] for r in table if r["system"] == "hetwin") else 1)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="Example: python benchmarks/faults.py --only hang --system hetwin",
    )
    parser.add_argument("--json", action="store_true", help="rows as JSON")
    parser.add_argument("--markdown", action="store_true", help="the table of docs/faults.md")
    parser.add_argument("--only", default="", help="faults whose name has this in it")
    parser.add_argument("--system", choices=("hetwin", *PEERS), help="one system only")
    parser.add_argument("--transport", help="one transport only")
    parser.add_argument("--random", type=int, default=0, help="so many random faults instead")
    parser.add_argument("--seed", type=int, default=1, help="of the random faults")
    return parser.parse_args()


def _rows(arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    domain = 1 + os.getpid() % 100
    if arguments.random:
        yield from _random_rows(arguments, domain)
        return
    if arguments.system in (None, "hetwin"):
        for case, transport in rows():
            if arguments.only in case.name and arguments.transport in (None, transport):
                with empty_folder() as folder:
                    ended = suffer(case, transport, folder, domain)
                yield _row("hetwin", transport, case.name, case.deadline_s, ended)
    for system, peer in PEERS.items():
        if arguments.system not in (None, system):
            continue
        for fault, transport in peer.faults():
            if arguments.only in fault and arguments.transport in (None, transport):
                ended = suffer_peer(peer, fault, transport)
                yield _row(system, transport, fault, None, ended)


def _random_rows(arguments: argparse.Namespace, domain: int) -> Iterator[dict[str, Any]]:
    rng = random.Random(arguments.seed)
    for _ in range(arguments.random):
        transport = arguments.transport or rng.choice(("local", "local", "own", "ros"))
        case = random_case(rng, transport)
        with empty_folder() as folder:
            ended = suffer(case, transport, folder, domain)
        yield _row("hetwin", transport, case.name, case.deadline_s, ended)


def _row(
    system: str, transport: str, fault: str, deadline_s: float | None, ended: Any
) -> dict[str, Any]:
    return {
        "system": system,
        "transport": transport,
        "fault": fault,
        "ok": ended.ok,
        "ended_in_s": None if ended.ended_in_s is None else round(ended.ended_in_s, 2),
        "deadline_s": deadline_s,
        "says": ended.says,
    }


def _line(row: dict[str, Any]) -> str:
    mark = "ok  " if row["ok"] else "FAIL"
    took = "never" if row["ended_in_s"] is None else f"{row['ended_in_s']:.1f} s"
    stamp = time.strftime("%H:%M:%S")
    return f"{stamp} {mark} {row['system']} {row['transport']}: {row['fault']}: {took}: {row['says'][:200]}"


def _markdown(table: list[dict[str, Any]]) -> str:
    """A row for each fault and a column for each system: how soon the run ended, and whether that is in order."""
    systems = dict.fromkeys((row["system"], row["transport"]) for row in table)
    faults = dict.fromkeys(row["fault"] for row in table)
    cells = {(row["fault"], row["system"], row["transport"]): _cell(row) for row in table}
    lines = [
        f"| fault | {' | '.join(f'{system} {transport}' for system, transport in systems)} |",
        "|---" * (len(systems) + 1) + "|",
    ]
    for fault in faults:
        row = " | ".join(cells.get((fault, *system), "") for system in systems)
        lines.append(f"| {fault} | {row} |")
    return "\n".join(lines)


def _cell(row: dict[str, Any]) -> str:
    took = "hangs" if row["ended_in_s"] is None else f"{row['ended_in_s']:.1f} s"
    return took if row["ok"] else f"**no**, {took}"


if __name__ == "__main__":
    main()
