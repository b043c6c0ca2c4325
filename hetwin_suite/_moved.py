"""Old names of modules that have moved: importing one fails with its new name."""

from __future__ import annotations

import sys
from types import FrameType

_PACKAGE = __name__.partition(".")[0]
_IMPORT_SYSTEM = "<frozen importlib._bootstrap>"

_MOVED = {
    "conductor_node": "conductor_node",
    "conductor_node.annotations": "hetwin_core.ensemble.annotations",
    "conductor_node.own_goal": "conductor_node.startup_goal",
    "conductor_node.standard.answers": "conductor_node.standard.service_results",
    "conductor_node.standard.offer": "conductor_node.standard.registration",
    "conductor_node.standard.steering": "conductor_node.standard.run_control",
    "conductor_node.step_post": "conductor_node.topic_channel",
    "conductor_node.waiting": "conductor_node.deferred_services",
    "ensemble": "hetwin_core.ensemble",
    "ensemble.conductor.answers": "hetwin_core.ensemble.conductor.step.outputs",
    "ensemble.conductor.event_book": "hetwin_core.ensemble.conductor.step.event_queue",
    "ensemble.conductor.failures": "hetwin_core.ensemble.conductor.failures.handler",
    "ensemble.conductor.gate": "hetwin_core.ensemble.conductor.pause",
    "ensemble.conductor.lifecycle": "hetwin_core.ensemble.conductor.start.lifecycle",
    "ensemble.conductor.listeners": "hetwin_core.ensemble.conductor.reporting.listener_group",
    "ensemble.conductor.moves": "hetwin_core.ensemble.conductor.handovers.handovers",
    "ensemble.conductor.options": "hetwin_core.ensemble.conductor.start.options",
    "ensemble.conductor.pace": "hetwin_core.ensemble.conductor.scheduling.scheduler",
    "ensemble.conductor.parameters": "hetwin_core.ensemble.conductor.start.parameters",
    "ensemble.conductor.predicates": "hetwin_core.ensemble.conductor.reporting.predicates",
    "ensemble.conductor.summary": "hetwin_core.ensemble.conductor.reporting.summary",
    "ensemble.conductor.switches": "hetwin_core.ensemble.conductor.scheduling.scheduler",
    "ensemble.conformance.handing": "hetwin_core.ensemble.conformance.handovers",
    "ensemble.digest": "hetwin_core.ensemble.conductor.reporting.digest",
    "ensemble.fidelity": "hetwin_core.ensemble.scene.fidelity",
    "ensemble.handover": "hetwin_core.ensemble.conductor.handovers.two_phase_handover",
    "ensemble.hands": "hetwin_core.ensemble.scene.hands",
    "ensemble.heartbeat": "hetwin_core.ensemble.supervision.heartbeat",
    "ensemble.layout": "hetwin_core.ensemble.scene.layout",
    "ensemble.layout_json": "hetwin_core.ensemble.scene.layout_json",
    "ensemble.listener": "hetwin_core.ensemble.conductor.reporting.listener",
    "ensemble.poses": "hetwin_core.ensemble.scene.poses",
    "ensemble.responsibilities": "hetwin_core.ensemble.scene.responsibilities",
    "ensemble.scenario.complaints": "hetwin_core.ensemble.validation",
    "ensemble.scene": "hetwin_core.ensemble.scene.scene",
    "ensemble.shapes": "hetwin_core.ensemble.scene.shapes",
    "ensemble.snapshot": "hetwin_core.ensemble.scene.snapshot",
    "ensemble.transport.ahead": "hetwin_core.ensemble.transport.step_batching",
    "ensemble.transport.flat": "hetwin_core.ensemble.transport.step_codec",
    "ensemble.transport.messages": "hetwin_core.wire.messages",
    "ensemble.transport.ros_names": "hetwin_core.wire.names",
    "ensemble.transport.spinning": "hetwin_core.wire.spinning",
    "ensemble.transport.wire": "hetwin_core.ensemble.json_codec",
    "ensemble.triggers.circles": "hetwin_core.ensemble.triggers.cycles",
    "ensemble.value_check": "hetwin_core.ensemble.transport.value_check",
    "ensemble.values": "hetwin_core.ensemble.scene.values",
    "ensemble.watched_process": "hetwin_core.ensemble.supervision.watched_process",
    "hetwin_cli": "hetwin_suite.cli",
    "hetwin_cli.forked": "hetwin_core.ensemble.supervision.watched_work",
    "hetwin_cli.json_option": "hetwin_suite.cli.options",
    "hetwin_cli.local_run": "hetwin_suite.running.local",
    "hetwin_cli.placing": "hetwin_suite.running.placing",
    "hetwin_cli.progress": "hetwin_suite.running.progress",
    "hetwin_cli.ros_run": "hetwin_suite.running.ros",
    "hetwin_cli.stacks": "hetwin_core.ensemble.supervision.stacks",
    "hetwin_cli.watched_check": "hetwin_suite.running.checks",
    "hetwin_cli.watched_child": "hetwin_suite.running.child",
    "hetwin_cli.watched_run": "hetwin_suite.running.watched",
    "model_nodes": "model_nodes",
    "model_nodes.checked_parameters": "hetwin_core.ensemble.parameters",
    "model_nodes.in_hand_localization.object_form": "model_nodes.in_hand_localization.object_geometry",
    "model_nodes.in_hand_localization.rotation": "hetwin_core.ensemble.scene.rotations",
    "model_nodes.main_physics.checks": "hetwin_core.ensemble.validation",
    "model_nodes.main_physics.description": "model_nodes.main_physics.world.description",
    "model_nodes.main_physics.engines.gz.canary": "model_nodes.main_physics.engines.gz.self_test",
    "model_nodes.main_physics.engines.gz.course": "model_nodes.main_physics.engines.gz.joint_spline",
    "model_nodes.main_physics.engines.gz.masks": "model_nodes.main_physics.engines.gz.proxies.collision_masks",
    "model_nodes.main_physics.engines.gz.orders": "model_nodes.main_physics.engines.gz.commands",
    "model_nodes.main_physics.engines.gz.parting": "model_nodes.main_physics.engines.gz.depenetration",
    "model_nodes.main_physics.engines.gz.roles": "model_nodes.main_physics.engines.gz.proxies.selection",
    "model_nodes.main_physics.engines.gz.twins": "model_nodes.main_physics.engines.gz.proxies.proxy",
    "model_nodes.main_physics.engines.mujoco.beams": "model_nodes.main_physics.engines.mujoco.rangefinders",
    "model_nodes.main_physics.engines.mujoco.led": "model_nodes.main_physics.engines.mujoco.kinematic_bodies",
    "model_nodes.main_physics.engines.mujoco.overlaps": "model_nodes.main_physics.engines.mujoco.depenetration",
    "model_nodes.main_physics.engines.mujoco.skins": "model_nodes.main_physics.engines.mujoco.contact_margins",
    "model_nodes.main_physics.entities": "model_nodes.main_physics.world.entities",
    "model_nodes.main_physics.helper": "model_nodes.main_physics.fidelity_switching",
    "model_nodes.main_physics.hull_cache": "model_nodes.main_physics.world.hull_cache",
    "model_nodes.main_physics.inertias": "model_nodes.main_physics.world.inertias",
    "model_nodes.main_physics.meshes": "model_nodes.main_physics.world.meshes",
    "model_nodes.main_physics.names": "model_nodes.main_physics.world.names",
    "model_nodes.main_physics.notes": "model_nodes.main_physics.world.notes",
    "model_nodes.main_physics.resources": "model_nodes.main_physics.world.resources",
    "model_nodes.main_physics.sdf": "model_nodes.main_physics.world.sdf",
    "model_nodes.main_physics.sdf.forms": "model_nodes.main_physics.world.sdf.geometry",
    "model_nodes.main_physics.sources.spec": "hetwin_core.ensemble.scenario.source",
    "model_nodes.main_physics.transforms": "model_nodes.main_physics.world.transforms",
    "model_nodes.main_physics.urdf": "model_nodes.main_physics.world.urdf",
    "model_nodes.main_physics.urdf.forms": "model_nodes.main_physics.world.urdf.geometry",
    "model_nodes.main_physics.xml_file": "model_nodes.main_physics.world.xml_file",
    "projection": "hetwin_core.episodes",
    "projection.aftermath": "hetwin_core.episodes.failed_run",
    "projection.report": "hetwin_suite.view.report",
    "projection.salvage": "hetwin_core.episodes.recover",
    "projection.streams": "hetwin_core.episodes.periodic_messages",
    "projection.topics": "hetwin_core.ensemble.topics",
}
"""Old name within this package -> new name; what lies under an old name moved along, unless it is listed itself."""


class MovedModule(ModuleNotFoundError):
    """An import by a name that a module had before.

    Its `name` stays unset: ``from hetwin_suite import ensemble`` would drop an error that has one.

    Args:
        old_name: the name that was imported.
        new_name: where the module is now.
    """

    def __init__(self, old_name: str, new_name: str) -> None:
        self.old_name = old_name
        self.new_name = new_name
        super().__init__(
            f"{old_name} has moved: import {new_name} (CHANGELOG.md lists old and new names;"
            " a command or an entry point that still has the old one needs a new installation)"
        )


def new_name(old_name: str) -> str | None:
    """Where a module is now; None if it has not moved."""
    package, _, inside = old_name.partition(".")
    if package != _PACKAGE:
        return None
    head = inside
    while head:
        if head in _MOVED:
            return _MOVED[head] + inside[len(head) :]
        head = head.rpartition(".")[0]
    return None


class MovedModuleFinder:
    """Refuses imports by old names; stands at the end of `sys.meta_path`, after what finds modules that exist."""

    @staticmethod
    def find_spec(fullname: str, *_: object) -> None:
        """Find nothing.

        Raises:
            MovedModule: if the module has moved.
        """
        if new_name(fullname) is not None:
            wanted = _wanted(fullname)
            raise MovedModule(wanted, new_name(wanted) or wanted)


def install() -> None:
    """Let imports by old names fail with the new ones."""
    if MovedModuleFinder not in sys.meta_path:
        sys.meta_path.append(MovedModuleFinder)


def _wanted(package: str) -> str:
    """The whole name in the import statement: Python looks for the packages in it first, one by one.

    It stands in the frames of Python's import system; where they have no such variable, the package is named.
    """
    wanted = package
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename == _IMPORT_SYSTEM:
        name = frame.f_locals.get("name")
        if isinstance(name, str) and name.startswith(f"{wanted}."):
            wanted = name
        frame = frame.f_back
    return wanted
