"""`hetwin evaluate`: verdicts of the twin and of the baselines against recorded ground truth."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import perhaps
from hetwin_suite.cli import completion
from hetwin_suite.cli.options import AsJson, Engine, Jobs, Mismatches
from hetwin_suite.proving_ground.evaluation.approaches import APPROACHES, Contacts

if TYPE_CHECKING:
    from hetwin_suite.proving_ground.evaluation.judge import Verdict


class Suite(StrEnum):
    """What to evaluate."""

    TABLE2 = "table2"
    ROBUSTNESS = "robustness"


def evaluate(
    suite: Annotated[
        Suite,
        typer.Argument(
            help="table2: Bauer et al. (2022), Table 2; robustness: where each approach breaks"
        ),
    ],
    episodes: Annotated[
        Path, typer.Option(help="folder of episodes, searched with its subfolders")
    ],
    jobs: Jobs = None,
    approaches: Annotated[
        str,
        typer.Option(
            help="some of them, separated by commas", autocompletion=completion.approaches
        ),
    ] = ",".join(APPROACHES),
    contacts: Annotated[
        Contacts, typer.Option(help="contact settings of the physics: ours, or the engine's own")
    ] = Contacts.MANIPULATION,
    engine: Engine = None,
    mismatch: Mismatches = None,
    axes: Annotated[
        str | None,
        typer.Option(
            help="of robustness: axes of mismatch at all their levels, or AXIS=LEVEL, separated by commas;"
            " default: all"
        ),
    ] = None,
    first: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="of robustness: so many successful and so many failed episodes of each folder; default: all",
        ),
    ] = None,
    trust_kept: Annotated[
        bool,
        typer.Option(
            "--trust-kept", help="of robustness: keep verdicts though the code has changed since"
        ),
    ] = False,
    page: Annotated[bool, typer.Option(help="of robustness: whether to write the page")] = True,
    out: Annotated[Path, typer.Option(help="folder for CSV and page")] = Path("evaluation"),
    as_json: AsJson = False,
) -> None:
    """Play all episodes in all approaches and compare the verdicts with what really happened.

    With --mismatch the twin is given something else than what really was, e.g. finger joints that read too open.

    For example:

    hetwin evaluate table2 --episodes episodes --approaches ensemble,rule

    hetwin evaluate table2 --episodes episodes/pinches --approaches single --mismatch finger_offset=0.0175 --out worse

    hetwin evaluate robustness --episodes episodes/drops --axes rate=15 --approaches single,rule --first 1 --out curves

    Robustness keeps every verdict in --out at once and judges only what is not there yet: a stopped evaluation goes
    on, and one with more axes, approaches or episodes adds to it.
    """
    chosen = _approaches(approaches)
    if suite is Suite.ROBUSTNESS:
        _refuse({"--mismatch": mismatch}, suite, "--axes")
        from hetwin_suite.cli.robustness import Wish, robustness
        from hetwin_suite.proving_ground.evaluation.replay import Replay

        wish = Wish(axes, first, trust_kept, page)
        robustness(episodes, chosen, wish, Replay(contacts, engine), out, jobs, not as_json)
        return
    given = {"--axes": axes, "--first": first, "--trust-kept": trust_kept, "--no-page": not page}
    _refuse(given, suite, "evaluate robustness")
    _table2(episodes, chosen, (contacts, engine, mismatch or []), out, jobs, as_json)


def _refuse(given: Mapping[str, object], suite: Suite, expected: str) -> None:
    """Refuse options that another evaluation has."""
    for option, value in given.items():
        if value:
            raise BadInput(f"evaluate {suite} has no such option", where=option, expected=expected)


def _table2(
    episodes: Path,
    chosen: Sequence[str],
    how: tuple[Contacts, str | None, Sequence[str]],
    out: Path,
    jobs: int | None,
    as_json: bool,
) -> None:
    from hetwin_suite._mismatch.registry import read_mismatches
    from hetwin_suite.proving_ground.evaluation.episodes import find_episodes
    from hetwin_suite.proving_ground.evaluation.judge_worse import judge_all
    from hetwin_suite.proving_ground.evaluation.replay import Replay
    from hetwin_suite.proving_ground.evaluation.worse import check_mismatches
    from hetwin_suite.running.patience import Patience, never_silent, to_stderr

    contacts, engine, mismatches = how
    replay = Replay(contacts, engine, read_mismatches(mismatches))
    found = find_episodes(episodes)
    check_mismatches(replay.mismatches, found)
    patience, done = Patience(to_stderr), 0

    def progress(number: int, of: int, verdict: Verdict) -> None:
        nonlocal done
        done = number
        to_stderr(_line(number, of, verdict))
        patience.heard()

    def look() -> None:
        patience.look(f"{done} of {len(found) * len(chosen)} judged")

    judged = judge_all(found, chosen, replay, jobs=jobs, progress=progress, look=look)
    with never_silent(lambda: "drawing the page"):
        from hetwin_suite.cli import verdicts  # plotly takes its time

        verdicts.write(out, Suite.TABLE2, found, replay, judged)
    if as_json:
        print(json.dumps(verdicts.as_json(judged, replay, out), indent=2))
    else:
        verdicts.show(judged)
        print(f"every verdict: {out / 'table2.csv'}; page: {out / 'table2.html'}")


def _approaches(text: str) -> list[str]:
    chosen = [name.strip() for name in text.split(",") if name.strip()]
    for name in chosen:
        if name not in APPROACHES:
            expected = f"some of {', '.join(APPROACHES)}{perhaps(name, APPROACHES)}"
            raise BadInput("no such approach", where="--approaches", found=name, expected=expected)
    return chosen


def _line(done: int, of: int, verdict: Verdict) -> str:
    mark = "right" if verdict.right else "n/a" if verdict.not_applicable else "WRONG"
    name = Path(verdict.episode).name
    return f"{done}/{of} {name} {verdict.approach}: {mark} ({verdict.wall_time:.1f} s)"
