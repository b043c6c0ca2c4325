"""`hetwin evaluate`: verdicts of the twin and of the baselines against recorded ground truth."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import perhaps
from hetwin_suite.cli import completion
from hetwin_suite.cli.options import AsJson, Mismatches
from hetwin_suite.proving_ground.evaluation.approaches import APPROACHES, Contacts

if TYPE_CHECKING:
    from hetwin_suite.proving_ground.evaluation.judge import Verdict


class Suite(StrEnum):
    """What to evaluate."""

    TABLE2 = "table2"


def evaluate(
    suite: Annotated[Suite, typer.Argument(help="table2: Bauer et al. (2022), Table 2")],
    episodes: Annotated[
        Path, typer.Option(help="folder of episodes, searched with its subfolders")
    ],
    jobs: Annotated[
        int | None, typer.Option(min=1, help="processes; default: one per core")
    ] = None,
    approaches: Annotated[
        str,
        typer.Option(
            help="some of them, separated by commas", autocompletion=completion.approaches
        ),
    ] = ",".join(APPROACHES),
    contacts: Annotated[
        Contacts, typer.Option(help="contact settings of the physics: ours, or the engine's own")
    ] = Contacts.MANIPULATION,
    engine: Annotated[
        str | None,
        typer.Option(
            help="physics engine; default: the scenarios'", autocompletion=completion.engines
        ),
    ] = None,
    mismatch: Mismatches = None,
    out: Annotated[Path, typer.Option(help="folder for CSV and page")] = Path("evaluation"),
    as_json: AsJson = False,
) -> None:
    """Play all episodes in all approaches and compare the verdicts with what really happened.

    With --mismatch the twin is given something else than what really was, e.g. finger joints that read too open.

    For example:

    hetwin evaluate table2 --episodes episodes/drops --approaches ensemble,rule

    hetwin evaluate table2 --episodes episodes/drops --approaches single --mismatch finger_offset=0.0175 --out worse
    """
    from hetwin_suite.proving_ground.evaluation.batch import judge_all
    from hetwin_suite.proving_ground.evaluation.episodes import find_episodes
    from hetwin_suite.proving_ground.evaluation.replay import Replay
    from hetwin_suite.proving_ground.evaluation.worse import check_mismatches
    from hetwin_suite.proving_ground.mismatch.registry import read_mismatches
    from hetwin_suite.running.patience import never_silent, to_stderr

    chosen = _approaches(approaches)
    replay = Replay(contacts, engine, read_mismatches(mismatch or ()))
    found = find_episodes(episodes)
    check_mismatches(replay.mismatches, found)
    count = len(found) * len(chosen)
    done = 0

    def progress(number: int, of: int, verdict: Verdict) -> None:
        nonlocal done
        done = number
        to_stderr(_line(number, of, verdict))
        patience.heard()

    def doing() -> str:
        return f"{done} of {count} judged" if done < count else "drawing the page"

    with never_silent(doing) as patience:
        judged = judge_all(found, chosen, replay, jobs=jobs, progress=progress)
        from hetwin_suite.cli import verdicts  # plotly takes its time

        verdicts.write(out, suite, found, replay, judged)
    if as_json:
        print(json.dumps(verdicts.as_json(judged, replay, out), indent=2))
    else:
        verdicts.show(judged)
        print(f"every verdict: {out / f'{suite}.csv'}; page: {out / f'{suite}.html'}")


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
