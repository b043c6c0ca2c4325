"""Judges episodes between success and failure, as `boundary.yaml` says, keeps the verdicts, and writes the page.

It goes on where it was stopped: recorded sets stay, and every verdict is kept in `--out` at once. What the page needs
of them is copied into `examples/hetwin_bauer2022/data/boundary.jsonl`, a line for each episode at each level; `--page`
writes the page from that file alone.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from boundary_page import (
    IN_SHORT,
    KEPT,
    NONE,
    PAGE,
    VERDICTS,
    WHOLE,
    asked_at,
    in_short,
    put,
    text,
    thresholds,
)
from robustness import HETWIN, recordings

from hetwin_bauer2022.drops.verdict import FAILED_OPERATIONS
from hetwin_bauer2022.evaluation.approaches import RULES
from hetwin_bauer2022.evaluation.episodes import find_episodes
from hetwin_bauer2022.evaluation.rules import ObservedEpisode

PLAN = Path(__file__).with_name("boundary.yaml")
AS_RECORDED = "finger_offset=0"
"""A level that changes nothing."""
EXAMPLES = """examples:
  python benchmarks/boundary.py --out /tmp/boundary --fit
  python benchmarks/boundary.py --out /tmp/boundary
  python benchmarks/boundary.py --out /tmp/boundary --keep
  python benchmarks/boundary.py --page
"""


def stage(why: str) -> str:
    """Return at which cause the account of a drop ends, if it failed.

    Args:
        why: events of a run, in words.
    """
    if "picked up by" not in why:
        return "never_held"
    if "the fingers did not open" in why:
        return "lost_on_the_way"
    return "bounced_out" if "entered " in why else "missed"


def condensed(verdicts: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return one object for each episode at each level, with the verdicts of all approaches.

    Args:
        verdicts: as `hetwin evaluate robustness` keeps them, the last one on a question counts.
    """
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for one in verdicts:
        key = tuple(one[name] for name in ("set", "name", "axis", "level"))
        about = {**dict(zip(("set", "name", "axis", "level"), key, strict=True))}
        row = found.setdefault(
            key, {**about, "truth": one["truth"], "cause": one["cause"], "said": {}}
        )
        said = "n/a" if one["not_applicable"] else one["success"]
        row["said"][one["approach"]] = [said, round(one["seconds"], 2)]
        if one["cause"] in FAILED_OPERATIONS and one["approach"] not in RULES:
            row["said"][one["approach"]].append(stage(one["why"]))
    return [found[key] for key in sorted(found)]


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def _run(command: Sequence[str]) -> None:
    print("hetwin " + " ".join(command), file=sys.stderr, flush=True)
    subprocess.run([*HETWIN, *command], check=True, stdout=subprocess.DEVNULL)


def fit(plan: Mapping[str, Any], out: Path) -> None:
    """Record the episodes to choose on, and print the best thresholds of each set."""
    chosen = {name: one for name, one in plan["sets"].items() if "chosen" in one}
    sets = {name: {**one, "episodes": one["chosen"]} for name, one in chosen.items()}
    for command in recordings({"sets": sets}, "chosen_on", out / "chosen", 1):
        _run(command)
    for name in chosen:
        found = find_episodes(out / "chosen" / name)
        measured = [(ObservedEpisode(episode).measured(), episode.success) for episode in found]
        pair, right = thresholds(measured)
        print(f"{name}: {pair.first:.4g}, {pair.second:.4g}: right in {right} of {len(found)}")


def judge(plan: Mapping[str, Any], out: Path) -> None:
    """Record the episodes to judge, and judge what is not judged yet."""
    for command in recordings(plan, "judged_on", out / "episodes", 1):
        _run(command)
    for name, one in plan["sets"].items():
        which = ["--episodes", str(out / "episodes" / name), "--out", str(out / "verdicts")]
        for axis in (AS_RECORDED, *one.get("axes", ())):
            approaches = asked_at(axis.partition("=")[0], plan["approaches"])
            what = ["--axes", axis, "--approaches", ",".join(approaches)]
            how = ["--jobs", "1", "--trust-kept", "--no-page"]
            _run(["evaluate", "robustness", *which, *what, *how])


def keep(plan: Mapping[str, Any], out: Path) -> None:
    """Copy what the page needs of the verdicts into the example's data."""
    rows = condensed(_lines(out / "verdicts" / "verdicts.jsonl"))
    measured = {
        (name, episode.name): [round(one, 5) for one in ObservedEpisode(episode).measured()]
        for name in plan["sets"]
        for episode in find_episodes(out / "episodes" / name)
    }
    for row in rows:
        if row["axis"] == NONE:
            row["measured"] = measured[row["set"], row["name"]]
    KEPT.parent.mkdir(exist_ok=True)
    KEPT.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    counts: dict[tuple[str, str, float], int] = defaultdict(int)
    for row in rows:
        counts[row["set"], row["axis"], row["level"]] += len(row["said"])
    for key, count in counts.items():
        print(*key, f"{count} verdicts")


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, then fit, judge, keep or write."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--out", type=Path, help="folder of episodes and verdicts")
    for name, words in (
        ("fit", "choose the thresholds of the rule"),
        ("keep", "copy the verdicts so far and write the page, without judging"),
        ("page", "write the page from the kept verdicts"),
    ):
        parser.add_argument(f"--{name}", action="store_true", help=words)
    given = parser.parse_args(arguments)
    if given.out is None and not given.page:
        parser.error("--out is needed but for --page")
    plan = yaml.safe_load(PLAN.read_text(encoding="utf-8"))
    if given.fit:
        fit(plan, given.out)
        return 0
    if not (given.page or given.keep):
        judge(plan, given.out)
    if not given.page:
        keep(plan, given.out)
    rows = _lines(KEPT)
    for page, name, words in (
        (VERDICTS, WHOLE, text(rows, plan)),
        (PAGE, IN_SHORT, in_short(rows, plan)),
    ):
        page.write_text(put(page.read_text(encoding="utf-8"), name, words), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
