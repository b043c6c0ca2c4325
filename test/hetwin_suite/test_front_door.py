"""What the front door exports: a list that a release may add to and not take from."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

import hetwin_suite

PROMISED = (
    *("EntityName", "EntityNames", "ModelId", "Parameters", "ResolvedHand", "ResolvedPath"),
    *("ResolvedPose", "parameter"),
    *("AttributeSpec", "AttributeStart", "BadInput", "CheckResult", "Contribution"),
    *("EVERYTHING", "EXTERNAL_WRENCH", "Entity", "EntityKind", "Episode", "Event"),
    *("EventKind", "FIDELITY", "Fidelity", "Floats", "HandDescription", "HetwinError"),
    *("Json", "Layout", "Meaning", "Model", "ModelDescription", "ModelKind", "POSE"),
    *("ParameterKind", "ParameterRequest", "Refused", "Request", "RequestKind", "RunFailed"),
    *("Selection", "Shape", "ShapeKind", "Snapshot", "StepInput", "StepOutput", "Stepping"),
    *("Summary", "Value", "WORLD", "check_model", "compose", "extrapolate", "open_episode"),
    *("pose_value", "relative_to", "run", "scene_only"),
    *("ANY", "Answer", "Atom", "END", "NotKnown", "START", "Term", "Variable", "When", "at"),
    *("attached", "connected", "contact", "during", "event", "fluent", "held", "in_container"),
    *("loc", "moving", "on", "state", "supporting", "throughout", "visible"),
    *("BeliefAxis", "EpisodeFacts", "HandFacts", "JointStates", "RealWorld", "RealityAxis"),
    *("RecordingAxis", "TwinAxis", "TwinFiles"),
    *("Comparison", "compare_runs"),
    *("CannotReach", "Failed", "Percept", "Robot", "Task"),
    *("JointTrajectory", "SkillScene", "TrajectoryPoint"),
    *("Watch", "read_network"),
)

HEAVY = ("PIL", "mujoco", "numpy", "jinja2", "pydantic", "rclpy", "rosbags")


def test_the_list_is_the_promised_one() -> None:
    assert sorted(hetwin_suite.__all__) == sorted(PROMISED)


@pytest.mark.parametrize("name", PROMISED)
def test_each_name_is_there_and_described(name: str) -> None:
    found = getattr(hetwin_suite, name)
    assert name in dir(hetwin_suite)
    if inspect.isclass(found) or inspect.isfunction(found):
        assert inspect.getdoc(found)
    else:
        assert described_below(name)


def described_below(name: str) -> bool:
    """Whether a constant or an alias has a text of its own right below it in the module that it is from."""
    (home,) = [m for m, names in hetwin_suite._HOMES.items() if name in names.split()]
    body = ast.parse(inspect.getsource(sys.modules[home])).body
    for statement, following in pairwise(body):
        targets = ast.walk(statement) if isinstance(statement, ast.Assign | ast.AnnAssign) else ()
        if any(isinstance(t, ast.Name) and t.id == name for t in targets):
            return isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
    return False


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(Path(hetwin_suite.__file__).read_text(encoding="utf-8"))
    (block,) = [n for n in tree.body if isinstance(n, ast.If)]
    seen = {
        alias.name: statement.module
        for statement in block.body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
        if alias.asname == alias.name
    }
    assert seen == hetwin_suite._HOME_OF


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'hetwin_suite' has no attribute 'Modle'"):
        _ = hetwin_suite.Modle  # type: ignore[attr-defined]


def test_importing_it_loads_nothing_heavy() -> None:
    command = [sys.executable, "-X", "importtime", "-c", "import hetwin_suite"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = {
        line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()
    }
    assert "hetwin_suite" in loaded
    assert loaded.isdisjoint(HEAVY)
