"""`hetwin evaluate`: verdicts of the twin and of the baselines, compared with recorded ground truth."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hetwin_bauer2022.evaluation.approaches import APPROACHES, Contacts
from hetwin_bauer2022.mismatch_option import Mismatches
from hetwin_suite.command import (
    BadInput,
    Engine,
    Episodes,
    Jobs,
    Page,
    PagedResult,
    completions,
    option,
    perhaps,
)

if TYPE_CHECKING:
    from hetwin_bauer2022.evaluation.judge import Verdict


def complete_approaches(incomplete: str) -> list[str]:
    """Complete the last of several approaches that are separated by commas."""
    previous, comma, last = incomplete.rpartition(",")
    return [f"{previous}{comma}{name}" for name in completions(last, APPROACHES)]


Approaches = Annotated[
    str,
    typer.Option(
        "--approaches",
        help="approaches, separated by commas",
        autocompletion=complete_approaches,
    ),
]
ContactsOption = Annotated[
    Contacts,
    typer.Option("--contacts", help="contact settings of the physics: ours, or the engine's own"),
]
Out = Annotated[Path, option("--out", "folder for CSV and page")]
ALL, DEFAULT_OUT, SUITE = ",".join(APPROACHES), Path("evaluation"), "table2"


def table2(
    episodes: Episodes,
    jobs: Jobs = None,
    approaches: Approaches = ALL,
    contacts: ContactsOption = Contacts.MANIPULATION,
    engine: Engine = None,
    mismatch: Mismatches = None,
    out: Out = DEFAULT_OUT,
) -> PagedResult:
    """Replay all episodes with all approaches, as in Table 2 of Bauer et al. (2022), and compare with the truth.

    --mismatch changes the twin's input, e.g. to finger joints that read too open.

    For example:

    hetwin evaluate table2 --episodes episodes --approaches ensemble,rule

    hetwin evaluate table2 --episodes episodes/pinches --approaches single --mismatch finger_offset=0.0175 --out worse
    """
    from hetwin_bauer2022.evaluation.episode_with_mismatches import check_mismatches
    from hetwin_bauer2022.evaluation.episodes import find_episodes
    from hetwin_bauer2022.evaluation.judging_with_mismatches import judge_all
    from hetwin_bauer2022.evaluation.replay import Replay
    from hetwin_bauer2022.mismatch import read_mismatches
    from hetwin_suite.command import ProgressReminder, to_stderr

    chosen = chosen_approaches(approaches)
    replay = Replay(contacts, engine, read_mismatches(mismatch or ()))
    labelled = find_episodes(episodes)
    check_mismatches(replay.mismatches, labelled)
    patience, finished = ProgressReminder(to_stderr), 0

    def progress(number: int, of: int, verdict: Verdict) -> None:
        nonlocal finished
        finished = number
        to_stderr(_line(number, of, verdict))
        patience.restart()

    def look() -> None:
        patience.remind(f"{finished} of {len(labelled) * len(chosen)} judged")

    judged = judge_all(labelled, chosen, replay, jobs=jobs, progress=progress, look=look)
    from hetwin_bauer2022.evaluation import verdicts

    verdicts.write_csv(out / f"{SUITE}.csv", judged)
    page = Page(out / f"{SUITE}.html", lambda: verdicts.page(out, labelled, replay, judged))
    document, lines = verdicts.document(judged, replay, out), verdicts.lines(judged, out)
    return PagedResult(document, lines, page=page)


def robustness(
    episodes: Episodes,
    jobs: Jobs = None,
    approaches: Approaches = ALL,
    contacts: ContactsOption = Contacts.MANIPULATION,
    engine: Engine = None,
    axes: Annotated[
        str | None,
        typer.Option(
            help="axes of mismatch at all their levels, or AXIS=LEVEL, separated by commas; default: all"
        ),
    ] = None,
    count: Annotated[
        int | None,
        option("-n", "successful, and as many failed, episodes of each folder; default: all", 1),
    ] = None,
    trust_kept: Annotated[
        bool,
        typer.Option("--trust-kept", help="accept stored verdicts of another version of the code"),
    ] = False,
    out: Out = DEFAULT_OUT,
) -> PagedResult:
    """Find the levels of mismatch between twin and reality at which each approach breaks.

    Every verdict is stored in --out at once, and only missing verdicts are made: an interrupted evaluation is resumed,
    and an evaluation with more axes, approaches or episodes is extended.

    For example:

    hetwin evaluate robustness --episodes episodes/drops --axes rate=15 --approaches single,rule -n 1 --out curves
    """
    from hetwin_bauer2022.evaluation.replay import Replay
    from hetwin_bauer2022.robustness.command import run_robustness
    from hetwin_bauer2022.robustness.evaluation import Scope
    from hetwin_bauer2022.robustness.levels import read_axes
    from hetwin_bauer2022.robustness.sets import find_sets
    from hetwin_suite.command import never_silent

    chosen, replay = chosen_approaches(approaches), Replay(contacts, engine)
    levels = read_axes(axes)
    with never_silent(lambda: "reading the episodes"):
        scope = Scope(find_sets(episodes), levels, chosen, count)
    return run_robustness(scope, replay, out, jobs, trust_stored=trust_kept)


def chosen_approaches(text: str) -> Sequence[str]:
    """Parse the value of `--approaches`.

    Raises:
        BadInput: if there is no such approach.
    """
    chosen = [name.strip() for name in text.split(",") if name.strip()]
    for name in chosen:
        if name not in APPROACHES:
            expected = f"some of {', '.join(APPROACHES)}{perhaps(name, APPROACHES)}"
            raise BadInput("no such approach", where="--approaches", found=name, expected=expected)
    return chosen


def _line(finished: int, of: int, verdict: Verdict) -> str:
    mark = "right" if verdict.right else "n/a" if verdict.not_applicable else "WRONG"
    name = Path(verdict.episode).name
    return f"{finished}/{of} {name} {verdict.approach}: {mark} ({verdict.wall_time:.1f} s)"
