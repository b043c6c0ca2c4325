"""`hetwin label`: writes the verdicts of a night into the data set, and compares them with existing labels."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hetwin_suite.command import BadInput, Result

_SHOWN = 20


def label(
    data: Annotated[
        Path, typer.Argument(metavar="DATA", help="LeRobot data set, or folder of recordings")
    ],
    night: Annotated[
        Path, typer.Argument(metavar="NIGHT", help="folder that hetwin night has written")
    ],
    copy: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="label a new copy; its MCAP files carry their labels as well"
        ),
    ] = None,
    key: Annotated[
        str, typer.Option(metavar="NAME", help="key of the labels that the data already have")
    ] = "success",
    check: Annotated[
        bool, typer.Option("--check", help="write nothing, only compare with existing labels")
    ] = False,
) -> Result:
    """Write the verdicts of a night into a data set as labels, and compare them with existing labels.

    LeRobot's meta/ gets columns of episodes, and a folder of recordings a JSON file beside each. The data stay
    unchanged.

    For example:

    hetwin label bags night

    hetwin label bags night --copy bags_with_labels

    """
    from hetwin_datasets.agreement import agreement
    from hetwin_datasets.labels import read_night, summary
    from hetwin_datasets.lerobot import INFO
    from hetwin_datasets.lerobot_labels import Episodes
    from hetwin_datasets.recording_labels import Recordings

    labels = read_night(night)
    kind = Episodes if (data / INFO).is_file() else Recordings
    found = kind.of(data, labels)
    compared = agreement(key, found.pairs(key))
    lines = [summary(found.labels.values(), kind.one)]
    missing = len(labels) - len(found.found)
    lines += [f"{missing} in the night are of nothing here"] if missing else []
    lines += [] if compared is None else compared.lines
    values = {name: one.said for name, one in found.labels.items()}
    document = {"labels": values, "agreement": compared}
    if check:
        if compared is None:
            raise BadInput(
                "the data have no labels to compare with",
                file=data,
                where="--key",
                found=key,
                expected="the name of a label in the data",
            )
        return Result(document, lines, int(bool(compared.disagree)))
    written, without = found.write(copy)
    lines += [f"written: {one}" for one in written]
    lines += [f"only beside: {one}" for one in without[:_SHOWN]]
    return Result({**document, "written": written, "only_beside": without}, lines)
