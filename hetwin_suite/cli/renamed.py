"""Commands and options by the names that they had before: they work, with a warning, until version 0.3."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

GONE = "0.3"
"""Version that no longer knows the names of before."""

COMMANDS: Mapping[str, str] = {
    "report": "show",
    "export": "show",
    "tables": "show",
    "flaws": "ask --flaws",
    "sql": "ask --sql",
    "project": "predict",
    "decide": "predict",
    "send": "robot send",
    "describe": "urdf describe",
    "forward": "urdf forward",
    "inverse": "urdf inverse",
    "trajectory": "urdf trajectory",
    "new-model": "model new",
    "check-model": "model check",
    "scenarios": "list scenarios",
    "models": "list models",
    "evaluators": "list evaluators",
    "mismatches": "list mismatches",
    "schema": "list schema",
}
"""Name of before -> words of now."""
BY_OPTION: Mapping[str, Mapping[str, str]] = {
    "learn": {"--success": "success", "--fidelity": "fidelity", "": "thresholds"},
    "robot": {"--obey": "obey", "": "play"},
}
"""Command -> former option of a mode -> command below it in its place; without one of them, the last."""
BELOW = {"robot": ("send",)}
"""Commands of now below a command of before, beside those that its options named."""
OPTIONS: Mapping[str, Mapping[str, str]] = {
    "run": {"--report": "--page", "--no-report": "--no-page"},
    "show": {"--rerun": "--out", "--mcap": "--out"},
    "new": {"--joints": "--joint"},
    "predict": {"--samples": "-n", "--futures": "-n", "--horizon": "--duration"},
    "learn": {"--samples": "-n", "--keep": "--cache"},
    "record": {"--episodes": "-n"},
    "evaluate robustness": {"--first": "-n"},
    "robot play": {"--speed": "--pace"},
    "robot send": {"--to": "--namespace"},
    "urdf inverse": {"--from": "--start", "--time-limit": "--budget"},
    "calibrate arm": {"--poses": "--markers", "--parameters": "--fit"},
    "calibrate drive": {"--robot": "--believed"},
    "machines run": {"--profile": "--stays"},
    "machines draw": {"--trace": "--way"},
    "truck learn": {"--loads": "-n"},
}
"""Command of now -> its options of before -> of now."""
DEFAULTS: Mapping[str, tuple[str, str]] = {
    "report": ("--out", ".html"),
    "export": ("--out", ""),
    "tables": ("--out", ""),
    "record": ("--seed", "1"),
}
"""Command of before -> an option of now, and its value where an invocation of before does not give it."""


def renewed(words: Sequence[str]) -> tuple[list[str], str]:
    """Return the words of a command as they are now, and a warning; empty if nothing in them is of before.

    Args:
        words: all that follows `hetwin` on the command line.
    """
    if not words or words[0].startswith("-"):
        return list(words), ""
    head, rest, flags = _commands(words)
    names = _options(" ".join([*head, *rest[:1]]))
    kept, renamed = _renamed(rest, names)
    if " ".join(head) == words[0] and not renamed:
        return list(words), ""
    option, value = DEFAULTS.get(words[0], ("", ""))
    added = [] if not option or {option, "-h", "--help"} & {*kept} else [option, value]
    before = " ".join(["hetwin", words[0], *flags, *renamed])
    now = " ".join(["hetwin", *head, *dict.fromkeys(renamed.values()), *added]).rstrip()
    warning = f"warning: {before} is now {now}; the old name goes with hetwin {GONE}"
    return [*head, *kept, *added], warning


def _commands(words: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """Return the command's words of now, those that follow, and the option that has become one of its words."""
    name, *rest = words
    if name in COMMANDS:
        return COMMANDS[name].split(), rest, []
    below = BY_OPTION.get(name)
    known = {*(below or {}).values(), *BELOW.get(name, ()), "-h", "--help"}
    if below is None or not rest or rest[0] in known:
        return [name], rest, []
    option = next(option for option in below if not option or option in rest)
    return [name, below[option]], [word for word in rest if word != option], [option] * bool(option)


def _options(command: str) -> dict[str, str]:
    """Return the options of before of a command, and of those above it."""
    found: dict[str, str] = {}
    for name, options in OPTIONS.items():
        if f"{command} ".startswith(f"{name} "):
            found |= options
    return found


def _renamed(words: Sequence[str], names: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """Return words with options by their names of now, and which were renamed."""
    kept: list[str] = []
    renamed: dict[str, str] = {}
    for index, word in enumerate(words):
        option, is_given, value = word.partition("=")
        if word == "--":
            return [*kept, *words[index:]], renamed
        if option in names:
            renamed[option] = names[option]
            kept += [names[option], value] if is_given else [names[option]]
        else:
            kept.append(word)
    return kept, renamed
