"""Scenario files that cannot be used: exit code 2, and an error that names file, line, key, found and expected."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.hetwin_command import hetwin, refused

GOOD = """\
scenario: good
rate: 100
models:
  physics: {type: "support.toys:ToyPhysics", main: true, parameters: {until: 0.05}}
  grasp: {type: "support.toys:ToyGrasp", rate: 50}
evaluators:
  target: "nearest_object('hand')"
responsibilities:
  - {entity: "*", attribute: pose, model: physics}
triggers:
  - name: t
    on: {action: move}
    if: "target != null"
    do: [{hand_over: {entity: ball, attribute: pose, to: grasp}}]
"""
GRASP = '  grasp: {type: "support.toys:ToyGrasp", rate: 50}'
DO = "[{hand_over: {entity: ball, attribute: pose, to: grasp}}]"
BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join([f'*{chr(97 + i)}'] * 10)}]\n" for i in range(8)
)

TEXTS = {
    "empty": ("", ("the file is empty",)),
    "no mapping": ("- a\n- b\n", ("this is not a scenario", "found 'list'")),
    "text only": ("hello", ("this is not a scenario", "found 'str'")),
    "unclosed": ("models: {physics: [", ("this is not YAML", "line 1")),
    "tab": ("models:\n\tphysics: 1\n", ("this is not YAML", "line 2")),
    "control character": ("scenario: \x01\n", ("this is not YAML",)),
    "two documents": (GOOD + "---\na: 1\n", ("this is not YAML",)),
    "duplicate key": (GOOD + "rate: 200\n", ("a key appears twice", "line 15", "'rate'", "line 2")),
    "duplicate model": (
        GOOD.replace(GRASP, GRASP + "\n" + GRASP),
        ("a key appears twice", "line 6", "'grasp'"),
    ),
    "bomb": (BOMB, ("expands to too many values", "line")),
    "anchor in itself": ("a: &a [*a]\n", ("expands to too many values",)),
    "deep": ("a: " + "[" * 60 + "]" * 60, ("expands to too many values",)),
    "very deep": ("a: " + "[" * 5_000, ("nested too deeply",)),
    "python object": ("a: !!python/object:os.system x\n", ("this is not YAML", "line 1")),
    "odd tag": ("a: !!bool maybe\n", ("this is not YAML",)),
    "odd time": ("a: !!timestamp never\n", ("this is not YAML",)),
    "key that is a list": ("? [a, b]\n: 1\n", ("this is not YAML", "line 1")),
}

CHANGES = {
    "unknown key": ("rate: 100", "rates: 100", ("line 2, rates", "unknown key", "'rate' perhaps")),
    "unknown key of a model": (
        "rate: 50",
        "ratte: 50",
        ("line 5, models.grasp.ratte", "'rate' perhaps"),
    ),
    "no name": ("scenario: good\n", "", ("scenario", "a key is missing")),
    "no models": (GOOD[GOOD.index("models:") :], "", ("models", "a key is missing")),
    "name with a space": (
        "scenario: good",
        "scenario: not good",
        ("line 1, scenario", "'not good'"),
    ),
    "model without type": (
        GRASP,
        "  grasp: {rate: 50}",
        ("line 5", "models.grasp.type", "missing"),
    ),
    "unknown type": (
        '"support.toys:ToyGrasp"',
        "toy_grasp",
        ("line 5, models.grasp.type", "unknown model type", "'toy_grasp'", "rigid_grasp"),
    ),
    "no such module": (
        '"support.toys:ToyGrasp"',
        '"nowhere:Toy"',
        ("cannot be imported", "No module named"),
    ),
    "no such class": (
        '"support.toys:ToyGrasp"',
        '"support.toys:Toy"',
        ("models.grasp.type", "cannot be imported"),
    ),
    "not a model": (
        '"support.toys:ToyGrasp"',
        '"support.toys:HAND_SPEED"',
        ("this is not a model",),
    ),
    "two main models": (
        GRASP,
        GRASP.replace("rate: 50", "main: true"),
        ("line 3, models", "two models"),
    ),
    "no main model": ("main: true, ", "", ("line 3, models", "exactly one model with main: true")),
    "one that cannot be main": (
        GRASP,
        '  grasp: {type: "support.toys:ToyGrasp"}\n  second: {type: "support.toys:ToyCup", main: true}',
        ("two models",),
    ),
    "main on the clock": (
        "main: true,",
        "main: true, step: clock,",
        ("models.physics.step", "service"),
    ),
    "main with a rate": (
        "main: true,",
        "main: true, rate: 50,",
        ("models.physics.rate", "found 50"),
    ),
    "rate that does not divide": (
        "rate: 50}",
        "rate: 30}",
        ("line 5, models.grasp.rate", "does not divide", "found 30", "25 or 33.3333"),
    ),
    "rate and every": (
        "rate: 50}",
        "rate: 50, every: 2}",
        ("models.grasp", "either rate or every"),
    ),
    "rate of zero": ("rate: 100", "rate: 0", ("line 2, rate", "greater than 0", "found 0")),
    "rate that is no number": ("rate: 100", "rate: fast", ("line 2, rate", "'fast'")),
    "rate that is NaN": ("rate: 100", "rate: .nan", ("line 2, rate", "nan")),
    "every of half a step": ("rate: 50}", "every: 0.5}", ("models.grasp.every", "0.5")),
    "unknown way to step": ("rate: 50}", "step: often}", ("models.grasp.step", "'often'")),
    "unknown coupling": ("rate: 50}", "coupling: under}", ("models.grasp.coupling", "'under'")),
    "seed below zero": ("rate: 100", "rate: 100\nseed: -1", ("line 3, seed", "found -1")),
    "unknown parameter": (
        "until: 0.05",
        "till: 0.05",
        ("models.physics.parameters.till", "no such parameter", "until"),
    ),
    "parameter of the wrong kind": (
        "until: 0.05",
        "until: soon",
        ("models.physics.parameters.until", "found 'soon'", "a number in s"),
    ),
    "parameter left out": (
        '"support.toys:ToyPhysics"',
        '"support.small_ensemble:Gauge"',
        ("models.physics.parameters.until", "no such parameter"),
    ),
    "unknown evaluator": (
        '"target != null"',
        '"tarrget(1)"',
        ("line 13, triggers.0.if", "unknown evaluator 'tarrget'", "nearest_object"),
    ),
    "unknown variable": (
        '"target != null"',
        '"object != null"',
        ("triggers.0.if", "variable 'object'"),
    ),
    "syntax error": (
        '"target != null"',
        '"target !="',
        ("line 13, triggers.0.if", "syntax error", "'target !='"),
    ),
    "syntax error of an evaluator": (
        "\"nearest_object('hand')\"",
        "\"nearest_object('hand'\"",
        ("line 7, evaluators.target", "syntax error"),
    ),
    "evaluators in a circle": (
        "\"nearest_object('hand')\"",
        '"other"\n  other: "target"',
        ("line 7, evaluators.target", "in a cycle", "target -> other -> target"),
    ),
    "evaluator with a taken name": (
        "  target:",
        "  distance:",
        ("evaluators.distance", "another name"),
    ),
    "trigger loop": (
        f'on: {{action: move}}\n    if: "target != null"\n    do: {DO}',
        "on: {event: e}\n    do: [{raise: {event: e}}]",
        ("line 13, triggers.0.do", "in a loop", "'t -> t'"),
    ),
    "trigger to an unknown model": (
        "to: grasp",
        "to: grip",
        ("line 14, triggers.0.do.0.hand_over.to", "'grip'", "one of grasp, physics"),
    ),
    "two triggers of a name": (
        "triggers:\n",
        "triggers:\n  - {name: t, on: {action: x}, do: [{stop: x}]}\n",
        ("triggers.1.name", "two triggers have this name"),
    ),
    "trigger without effects": (f"do: {DO}", "do: []", ("triggers.0.do",)),
    "unknown effect": (f"do: {DO}", "do: [{hand: ball}]", ("triggers.0.do.0",)),
    "unknown phase": ("{action: move}", "{action: move, phase: late}", ("triggers.0.on", "'late'")),
    "attribute without comparison": (
        "{action: move}",
        "{attribute: pose, entity: ball}",
        ("triggers.0.on", "expected one of above, below, equals"),
    ),
    "unknown attribute": (
        "{action: move}",
        "{attribute: heat, entity: ball, above: 1}",
        ("triggers.0.on", "no such attribute", "'ball.heat'", "ball.pose"),
    ),
    "misspelt key of a trigger": (
        "{action: move}",
        "{attribute: pose, entity: ball, abvoe: 1}",
        ("line 12, triggers.0.on.abvoe", "unknown key", "'above' perhaps"),
    ),
    "unknown entity of a trigger": (
        "entity: ball, attribute: pose, to",
        "entity: bal, attribute: pose, to",
        ("line 14, triggers.0.do.0.hand_over.entity", "no such entity", "found 'bal'", "ball"),
    ),
    "number that an attribute lacks": (
        "{action: move}",
        "{attribute: pose, entity: ball, above: 1, index: 13}",
        ("triggers.0.on.index", "found '13'", "0 to 12"),
    ),
    "while without an operation": (
        "on: {action: move}",
        "on: {event: e}\n    while: phase",
        ("triggers.0", "while: phase only with"),
    ),
    "responsibility of nobody": (
        "model: physics}",
        "model: nobody}",
        ("line 9", "'nobody'", "physics, grasp"),
    ),
    "responsibility not declared": (
        "attribute: pose, model: physics}",
        "attribute: heat, model: physics}",
        ("responsibilities.0.attribute", "'heat'", "pose"),
    ),
    "responsibility for nothing": (
        'entity: "*"',
        "entity: dog",
        ("responsibilities.0", "'dog.pose'"),
    ),
    "unknown entity": (
        "models:",
        "entities: {dog: {tags: [brown]}}\nmodels:",
        ("entities.dog", "no such entity", "hand, ball"),
    ),
    "belief about an unknown entity": (
        "models:",
        "source: {live: '', beliefs: [{topic: /b, entity: bal}]}\nmodels:",
        ("line 3, source.beliefs.0.entity", "no such entity", "hand, ball", "perhaps 'ball'"),
    ),
    "belief in an unknown frame": (
        "models:",
        "source: {live: '', beliefs: [{topic: /b, entity: ball, frame: camera}]}\nmodels:",
        ("line 3, source.beliefs.0.frame", "no such frame", "one of world, map, "),
    ),
    "fluent of a topic that is no pose": (
        "models:",
        "source: {live: '', beliefs: [{topic: /b, entity: ball, fluent: held}]}\nmodels:",
        ("line 3, source.beliefs.0.fluent", "'pose' or 'loc'"),
    ),
    "state rate of zero": (
        "rate: 100",
        "rate: 100\nlog: {state_rate: 0}",
        ("line 3, log.state_rate",),
    ),
}


def test_the_scenario_that_is_changed_is_good(tmp_path: Path) -> None:
    file = tmp_path / "s.yaml"
    file.write_text(GOOD)
    assert hetwin("run", file, "--out", tmp_path / "run", "--no-page").code == 0
    assert (tmp_path / "run" / "summary.json").exists()


@pytest.mark.parametrize("kind", TEXTS)
def test_what_is_no_scenario(kind: str, tmp_path: Path) -> None:
    text, says = TEXTS[kind]
    file = tmp_path / "s.yaml"
    file.write_text(text)
    refused(tmp_path, "run", file, "--out", tmp_path / "run", says=(f"{file}: ", *says))


@pytest.mark.parametrize("kind", CHANGES)
def test_one_thing_is_wrong(kind: str, tmp_path: Path) -> None:
    old, new, says = CHANGES[kind]
    assert old in GOOD
    file = tmp_path / "s.yaml"
    file.write_text(GOOD.replace(old, new, 1))
    refused(tmp_path, "run", file, "--out", tmp_path / "run", says=(str(file), *says))


@pytest.mark.parametrize("kind", ["unknown type", "rate that does not divide", "trigger loop"])
def test_check_says_the_same_as_run(kind: str, tmp_path: Path) -> None:
    old, new, says = CHANGES[kind]
    file = tmp_path / "s.yaml"
    file.write_text(GOOD.replace(old, new, 1))
    checked = refused(tmp_path, "check", file, says=says)
    assert checked == refused(tmp_path, "run", file, "--out", tmp_path / "run", says=says)


def test_no_such_file(tmp_path: Path) -> None:
    refused(tmp_path, "run", tmp_path / "s.yaml", says=("s.yaml", "no such scenario"))
    refused(tmp_path, "run", "no_such_scenario", says=("no_such_scenario",))


def test_a_folder_is_no_scenario(tmp_path: Path) -> None:
    refused(tmp_path, "run", tmp_path, says=(str(tmp_path),))


def test_not_utf8(tmp_path: Path) -> None:
    file = tmp_path / "s.yaml"
    file.write_bytes(b"scenario: \xff\xfe\n")
    refused(tmp_path, "run", file, says=(str(file), "cannot be read"))


def test_too_large(tmp_path: Path) -> None:
    file = tmp_path / "s.yaml"
    file.write_text("# " + "x" * 2_000_001)
    refused(tmp_path, "run", file, says=(str(file), "too large"))


def test_a_run_without_an_end(tmp_path: Path) -> None:
    file = tmp_path / "s.yaml"
    main = '{type: "support.small_ensemble:Gauge", main: true, parameters: {levels: [1]}}'
    file.write_text(f"scenario: endless\nmodels: {{physics: {main}}}\n")
    out = tmp_path / "run"
    refused(tmp_path, "run", file, "--out", out, says=(str(file), "source", "no defined end"))


def test_a_required_parameter_that_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "s.yaml"
    file.write_text(
        'scenario: s\nmodels: {physics: {type: "support.small_ensemble:Gauge", main: true}}\n'
    )
    says = (str(file), "models.physics.parameters.levels", "missing", "vector")
    refused(tmp_path, "run", file, "--out", tmp_path / "run", says=says)


def test_a_folder_that_holds_a_run_is_not_written_to(tmp_path: Path) -> None:
    file = tmp_path / "s.yaml"
    file.write_text(GOOD)
    assert hetwin("run", file, "--out", tmp_path / "run", "--no-page").code == 0
    refused(tmp_path, "run", file, "--out", tmp_path / "run", says=(str(tmp_path / "run"),))


@pytest.mark.parametrize("scene", ["{", "[]", "3"])
def test_a_scene_that_is_no_json_object(scene: str, tmp_path: Path) -> None:
    file = tmp_path / "s.yaml"
    file.write_text(GOOD)
    out = tmp_path / "run"
    refused(tmp_path, "run", file, "--out", out, "--scene", scene, says=("--scene",))


def test_what_is_uncertain_of_nothing_is_found_by_a_check(tmp_path: Path) -> None:
    file = tmp_path / "s.yaml"
    file.write_text(GOOD + "uncertainty:\n  moon: {mass: {sigma: 0.1}}\n", encoding="utf-8")
    says = ("line 16, uncertainty.moon", "the scene has no such entity", "found 'moon'", "ball")
    refused(tmp_path, "check", file, says=says)
