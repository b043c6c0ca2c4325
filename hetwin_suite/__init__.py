"""hetwin's front door: what a model of one's own needs, and how to run scenarios and read episodes from Python.

For example::

    import hetwin_suite

    summary = hetwin_suite.run("scenarios/pick_and_place.yaml", out="runs/today")
    episode = hetwin_suite.open_episode(summary.log)
    episode.holds(hetwin_suite.on("box", "tray"), hetwin_suite.at(12.0))

What `__all__` lists is the API that version numbers promise: within a major version nothing of it is taken away or
changes its meaning. Everything else, in this package and in those that it stands on, may move from one release to the
next. Names are imported when they are first used, so that importing this package loads neither a physics engine nor
ROS nor plotting.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hetwin_core.ensemble.conformance.result import CheckResult as CheckResult
    from hetwin_core.ensemble.errors import BadInput as BadInput
    from hetwin_core.ensemble.errors import HetwinError as HetwinError
    from hetwin_core.ensemble.errors import Refused as Refused
    from hetwin_core.ensemble.errors import RunFailed as RunFailed
    from hetwin_core.ensemble.events import Event as Event
    from hetwin_core.ensemble.events import EventKind as EventKind
    from hetwin_core.ensemble.events import Json as Json
    from hetwin_core.ensemble.expressions.evaluators import scene_only as scene_only
    from hetwin_core.ensemble.model import AttributeStart as AttributeStart
    from hetwin_core.ensemble.model import Contribution as Contribution
    from hetwin_core.ensemble.model import Model as Model
    from hetwin_core.ensemble.model import ModelDescription as ModelDescription
    from hetwin_core.ensemble.model import ModelKind as ModelKind
    from hetwin_core.ensemble.model import Request as Request
    from hetwin_core.ensemble.model import RequestKind as RequestKind
    from hetwin_core.ensemble.model import StepInput as StepInput
    from hetwin_core.ensemble.model import StepOutput as StepOutput
    from hetwin_core.ensemble.model import Stepping as Stepping
    from hetwin_core.ensemble.parameters import EntityName as EntityName
    from hetwin_core.ensemble.parameters import EntityNames as EntityNames
    from hetwin_core.ensemble.parameters import ModelId as ModelId
    from hetwin_core.ensemble.parameters import ParameterKind as ParameterKind
    from hetwin_core.ensemble.parameters import ParameterRequest as ParameterRequest
    from hetwin_core.ensemble.parameters import Parameters as Parameters
    from hetwin_core.ensemble.parameters import ResolvedHand as ResolvedHand
    from hetwin_core.ensemble.parameters import ResolvedPath as ResolvedPath
    from hetwin_core.ensemble.parameters import ResolvedPose as ResolvedPose
    from hetwin_core.ensemble.parameters import parameter as parameter
    from hetwin_core.ensemble.scene.fidelity import FIDELITY as FIDELITY
    from hetwin_core.ensemble.scene.fidelity import Fidelity as Fidelity
    from hetwin_core.ensemble.scene.hands import HandDescription as HandDescription
    from hetwin_core.ensemble.scene.layout import EVERYTHING as EVERYTHING
    from hetwin_core.ensemble.scene.layout import Entity as Entity
    from hetwin_core.ensemble.scene.layout import EntityKind as EntityKind
    from hetwin_core.ensemble.scene.layout import Layout as Layout
    from hetwin_core.ensemble.scene.layout import Selection as Selection
    from hetwin_core.ensemble.scene.poses import compose as compose
    from hetwin_core.ensemble.scene.poses import extrapolate as extrapolate
    from hetwin_core.ensemble.scene.poses import relative_to as relative_to
    from hetwin_core.ensemble.scene.shapes import Shape as Shape
    from hetwin_core.ensemble.scene.shapes import ShapeKind as ShapeKind
    from hetwin_core.ensemble.scene.snapshot import Snapshot as Snapshot
    from hetwin_core.ensemble.scene.values import EXTERNAL_WRENCH as EXTERNAL_WRENCH
    from hetwin_core.ensemble.scene.values import POSE as POSE
    from hetwin_core.ensemble.scene.values import WORLD as WORLD
    from hetwin_core.ensemble.scene.values import AttributeSpec as AttributeSpec
    from hetwin_core.ensemble.scene.values import Floats as Floats
    from hetwin_core.ensemble.scene.values import Meaning as Meaning
    from hetwin_core.ensemble.scene.values import Value as Value
    from hetwin_core.ensemble.scene.values import pose_value as pose_value
    from hetwin_core.episodes.asking.answer import Answer as Answer
    from hetwin_core.episodes.asking.answer import NotKnown as NotKnown
    from hetwin_core.episodes.asking.terms import ANY as ANY
    from hetwin_core.episodes.asking.terms import Atom as Atom
    from hetwin_core.episodes.asking.terms import Term as Term
    from hetwin_core.episodes.asking.terms import Variable as Variable
    from hetwin_core.episodes.asking.terms import attached as attached
    from hetwin_core.episodes.asking.terms import connected as connected
    from hetwin_core.episodes.asking.terms import contact as contact
    from hetwin_core.episodes.asking.terms import event as event
    from hetwin_core.episodes.asking.terms import fluent as fluent
    from hetwin_core.episodes.asking.terms import held as held
    from hetwin_core.episodes.asking.terms import in_container as in_container
    from hetwin_core.episodes.asking.terms import loc as loc
    from hetwin_core.episodes.asking.terms import moving as moving
    from hetwin_core.episodes.asking.terms import on as on
    from hetwin_core.episodes.asking.terms import state as state
    from hetwin_core.episodes.asking.terms import supporting as supporting
    from hetwin_core.episodes.asking.terms import visible as visible
    from hetwin_core.episodes.asking.times import END as END
    from hetwin_core.episodes.asking.times import START as START
    from hetwin_core.episodes.asking.times import When as When
    from hetwin_core.episodes.asking.times import at as at
    from hetwin_core.episodes.asking.times import during as during
    from hetwin_core.episodes.asking.times import throughout as throughout
    from hetwin_core.episodes.comparing.compare import compare_runs as compare_runs
    from hetwin_core.episodes.comparing.comparison import Comparison as Comparison
    from hetwin_core.episodes.episode import Episode as Episode
    from hetwin_core.kinematics.trajectories.trajectory import JointTrajectory as JointTrajectory
    from hetwin_core.kinematics.trajectories.trajectory import TrajectoryPoint as TrajectoryPoint
    from hetwin_core.machines.reading import read_network as read_network
    from hetwin_core.machines.seeing.watch import Watch as Watch
    from hetwin_suite._mismatch.axis import BeliefAxis as BeliefAxis
    from hetwin_suite._mismatch.axis import RealityAxis as RealityAxis
    from hetwin_suite._mismatch.axis import RecordingAxis as RecordingAxis
    from hetwin_suite._mismatch.axis import TwinAxis as TwinAxis
    from hetwin_suite._mismatch.facts import EpisodeFacts as EpisodeFacts
    from hetwin_suite._mismatch.facts import HandFacts as HandFacts
    from hetwin_suite._mismatch.joint_states import JointStates as JointStates
    from hetwin_suite._mismatch.real_world import RealWorld as RealWorld
    from hetwin_suite._mismatch.twin_files import TwinFiles as TwinFiles
    from hetwin_suite.running.api import Summary as Summary
    from hetwin_suite.running.api import check_model as check_model
    from hetwin_suite.running.api import open_episode as open_episode
    from hetwin_suite.running.api import run as run
    from model_nodes.robot_program.errors import CannotReach as CannotReach
    from model_nodes.robot_program.errors import Failed as Failed
    from model_nodes.robot_program.pictures import Percept as Percept
    from model_nodes.robot_program.robot import Robot as Robot
    from model_nodes.robot_program.tasks import Task as Task
    from model_nodes.skills.scene import SkillScene as SkillScene

_HOMES = {
    "hetwin_core.ensemble.conformance.result": "CheckResult",
    "hetwin_core.ensemble.errors": "BadInput HetwinError Refused RunFailed",
    "hetwin_core.ensemble.events": "Event EventKind Json",
    "hetwin_core.ensemble.expressions.evaluators": "scene_only",
    "hetwin_core.machines.reading": "read_network",
    "hetwin_core.machines.seeing.watch": "Watch",
    "hetwin_core.ensemble.model": "AttributeStart Contribution Model ModelDescription ModelKind Request"
    " RequestKind StepInput StepOutput Stepping",
    "hetwin_core.ensemble.parameters": "EntityName EntityNames ModelId ParameterKind ParameterRequest Parameters"
    " ResolvedHand ResolvedPath ResolvedPose parameter",
    "hetwin_core.ensemble.scene.fidelity": "FIDELITY Fidelity",
    "hetwin_core.ensemble.scene.hands": "HandDescription",
    "hetwin_core.ensemble.scene.layout": "EVERYTHING Entity EntityKind Layout Selection",
    "hetwin_core.ensemble.scene.poses": "compose extrapolate relative_to",
    "hetwin_core.ensemble.scene.shapes": "Shape ShapeKind",
    "hetwin_core.ensemble.scene.snapshot": "Snapshot",
    "hetwin_core.ensemble.scene.values": "EXTERNAL_WRENCH POSE WORLD AttributeSpec Floats Meaning Value pose_value",
    "hetwin_core.kinematics.trajectories.trajectory": "JointTrajectory TrajectoryPoint",
    "hetwin_core.episodes.asking.answer": "Answer NotKnown",
    "hetwin_core.episodes.asking.terms": "ANY Atom Term Variable attached connected contact event fluent held"
    " in_container loc moving on state supporting visible",
    "hetwin_core.episodes.asking.times": "END START When at during throughout",
    "hetwin_core.episodes.comparing.compare": "compare_runs",
    "hetwin_core.episodes.comparing.comparison": "Comparison",
    "hetwin_core.episodes.episode": "Episode",
    "hetwin_suite._mismatch.axis": "BeliefAxis RealityAxis RecordingAxis TwinAxis",
    "hetwin_suite._mismatch.facts": "EpisodeFacts HandFacts",
    "hetwin_suite._mismatch.joint_states": "JointStates",
    "hetwin_suite._mismatch.twin_files": "TwinFiles",
    "hetwin_suite._mismatch.real_world": "RealWorld",
    "hetwin_suite.running.api": "Summary check_model open_episode run",
    "model_nodes.robot_program.errors": "CannotReach Failed",
    "model_nodes.robot_program.pictures": "Percept",
    "model_nodes.robot_program.robot": "Robot",
    "model_nodes.robot_program.tasks": "Task",
    "model_nodes.skills.scene": "SkillScene",
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names.split()}

__all__ = sorted(_HOME_OF)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> object:
    """Import an exported name when it is first used (PEP 562)."""
    module = _HOME_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(module), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """Every exported name, also those that are not imported yet."""
    return sorted({*globals(), *__all__})
