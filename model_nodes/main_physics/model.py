"""The main model: rigid-body physics of the scene, driven by recorded or live joint states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from hetwin_core.ensemble.base_events import BASE_ALIGNED
from hetwin_core.ensemble.clock import FAR_FUTURE_NS, MainClock
from hetwin_core.ensemble.errors import BadInput, Refused, RunFailed
from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.model import (
    MainChanges,
    MainContribution,
    MainModel,
    MainTick,
)
from hetwin_core.ensemble.model_abilities import take_anew
from hetwin_core.ensemble.saving.plain import Plain
from hetwin_core.ensemble.saving.rebuild import rebuild
from hetwin_core.ensemble.saving.record import record
from hetwin_core.ensemble.scene.layout import Entity
from hetwin_core.ensemble.scene.snapshot import (
    NO_PROXIMITY,
    PROXIMITY,
    WRENCHES,
    Snapshot,
    Table,
)
from hetwin_core.ensemble.scene.values import FIDELITY, POSE, Floats, Value
from hetwin_core.ensemble.scene.watch import Finding, WatchLayout
from model_nodes.main_physics.base_drive import BASE_CORRECTED
from model_nodes.main_physics.block import Block
from model_nodes.main_physics.engines.engine import (
    Diverged,
    Engine,
    EngineSettings,
    Rangefinder,
    Unsupported,
)
from model_nodes.main_physics.engines.factory import make_engine
from model_nodes.main_physics.fittings import FittedLidar, fit_sensors, with_scanners
from model_nodes.main_physics.handed_over import (
    SAVED_PARAMETERS,
    ExternalEffects,
    FidelitySwitcher,
    change_bodies,
    objects_handed_over,
    with_changes,
)
from model_nodes.main_physics.loading import load_world
from model_nodes.main_physics.moving import RobotMotion
from model_nodes.main_physics.robots import SceneRobot, robots_of
from model_nodes.main_physics.settings import Settings, check_bounces
from model_nodes.main_physics.sources.plans import Plans
from model_nodes.main_physics.sources.wrenches import wrench_table
from model_nodes.main_physics.watching import RobotReporter, start_overlaps
from model_nodes.main_physics.world.description import Body, Joint, World
from model_nodes.main_physics.world.entities import entities_of
from model_nodes.main_physics.world.resources import Resources
from model_nodes.main_physics.world.robot_xml import urdf_of

_NAME = "main_physics"
_SHARED_TYPES = (Engine, Plans, World, Body, Joint, WatchLayout, FittedLidar, Rangefinder)
"""Types that parts of the main model share; their instances do not change, or are saved separately."""


class MainPhysics(MainModel[Settings]):
    """Moves robots as recorded and simulates everything else.

    Objects whose pose another model owns follow that model, and still push and carry other objects. An
    `external_wrench` of another model acts on objects whose pose the main model owns.
    Commands: ``attach`` with object and to, ``detach`` with object.
    """

    summary = "Rigid-body physics of the scene, driven by recorded joint positions."
    provides = Block.provides()
    watched = True
    raises: ClassVar[Mapping[str, str]] = {
        "overlap": "a body that was handed back overlaps another, so that they do not collide:"
        " object, other, remark",
        "force_not_felt": "another model's force on a body has no effect: object, remark",
        "server_deviates": "a Gazebo server in which the twin runs makes steps of its own, or does not"
        " execute an order: object (the world), other, remark",
        "robot_gap": "a live robot was silent: seconds [s]",
        BASE_CORRECTED: "a robot's base was put where its localization says: object (the robot), remark",
        BASE_ALIGNED: "a robot's base was put where the real one is: object (the robot), remark",
        "motion_skipped": "the twin of a live robot skips motion to catch up: seconds [s]",
        "command_refused": "a command was not obeyed: topic, reason",
        "time_lost": "a commanded twin fell so far behind real time that it gave the lost time up: seconds [s]",
    }

    def __init__(self) -> None:
        self._engine: Engine | None = None
        self._moving: RobotMotion | None = None
        self._switcher: FidelitySwitcher | None = None
        self._watching: RobotReporter | None = None
        self._rows = NO_PROXIMITY
        self._time_ns = 0

    def initialize(self, settings: Settings, scene: MainContribution) -> None:
        """Load world, robot and source; see `loading`."""
        world = load_world(settings)
        engine = _engine(settings.engine)
        self._engine, self._clock = engine, MainClock(settings.rate)
        check_bounces(settings.bodies, engine.name, bounces=engine.bounces)
        remarks = engine.load(world, _engine_settings(settings, world))
        robots = robots_of(settings, world)
        self._moving = moving = RobotMotion(settings, robots, engine)
        sensors = fit_sensors(robots, settings.rate, engine, moving.bases)
        entities = with_scanners(entities_of(world, settings.tags), sensors.lidars)
        self._block = Block(world, engine, entities, sensors)
        self._block.fill(engine)
        self._external = ExternalEffects(engine, self._block)
        moving.set_scene(self._block, entities)
        findings = self._findings(entities, settings, engine, moving.plans)
        descriptions = _descriptions(robots, settings)
        self._watching = self._watch(robots, settings, engine, moving, findings)
        scene.entities = entities
        for entity, attribute, data in self._block.items():
            scene.set(entity, attribute, data)
        scene.needs(("*", FIDELITY.name))
        scene.warnings = (*world.warnings, *remarks, *moving.notes)
        scene.reproducible = engine.deterministic and not moving.plans.is_live
        scene.duration_ns = moving.plans.duration_ns
        scene.robot_description = descriptions.pop("", "")
        scene.robot_descriptions = descriptions
        scene.engine, scene.shown = engine.description, engine.shown
        scene.watch = self._watch_layout(findings)

    def _findings(
        self,
        entities: Sequence[Entity],
        settings: Settings,
        engine: Engine,
        plans: Plans,
    ) -> tuple[Finding, ...]:
        """The findings before the first step; empty without reports."""
        if settings.watch_rate <= 0.0:
            return ()
        overlaps = start_overlaps(engine, self._block, entities, settings.clearance_range)
        return (*overlaps, *plans.findings)

    def _watch_layout(self, findings: tuple[Finding, ...]) -> WatchLayout | None:
        if self._watching is not None:
            return self._watching.layout
        return WatchLayout.without_robot(findings) if findings else None

    def _watch(
        self,
        robots: Sequence[SceneRobot],
        settings: Settings,
        engine: Engine,
        moving: RobotMotion,
        findings: tuple[Finding, ...],
    ) -> RobotReporter | None:
        if not robots or settings.watch_rate <= 0.0:
            return None
        watching = RobotReporter(
            [robot.body for robot in robots],
            engine,
            self._block,
            moving.plans,
            settings.rate,
            settings.watch_rate,
            settings.clearance_range,
            moving.loose_joints,
            findings,
        )
        moving.set_watch(watching)
        return watching

    def start(self, scene: Snapshot) -> None:
        """Find the objects whose fidelity the scene controls."""
        self._switcher = FidelitySwitcher(scene, (*self._block.objects, *self._block.links))

    def _initialized(self) -> tuple[Engine, RobotMotion]:
        if self._engine is None or self._moving is None:
            raise RunFailed(_NAME, "step", 0, "the model is not initialized")
        return self._engine, self._moving

    def _changing_engine(self) -> Engine:
        """The engine, for a change between two steps; the proximity of the last step is computed before."""
        engine, _ = self._initialized()
        self._rows.rows()
        return engine

    def step(self, tick: MainTick) -> MainChanges:
        """Apply other models' values, command the robot, step the engine and read its state."""
        engine, moving = self._engine, self._moving
        if engine is None or moving is None:
            engine, moving = self._initialized()
        if not moving.prepared:
            moving.prepare()
        periods = round(tick.period_ns * self.settings.rate / 1e9)
        try:
            if periods > 1 and engine.computed_ahead:  # see `roll_out`
                engine.leap(periods - 1)
                periods = 1
            if self._switcher is not None and self._switcher.any:
                self._switcher.update(engine, tick.scene)
            if tick.foreign:
                self._external.follow(tick.foreign)
            senses, previous_ns = moving.plans.senses, tick.time_ns - tick.period_ns
            aligned = moving.sense(previous_ns, tick.events) if senses else []
            self._time_ns = now_ns = tick.time_ns
            motion, corrections = moving.advance(self._times(tick, periods))
        except (Unsupported, Diverged) as error:
            raise RunFailed(_NAME, "step", tick.time_ns, str(error)) from error
        self._block.next(moving.efforts(motion) if moving.has_own_efforts else motion.efforts)
        self._block.fill(engine)
        plans = moving.plans
        compute, to_entity_indices = engine.proximity_when_read(), self._block.to_entity_indices
        self._rows = Table(lambda: to_entity_indices(compute()))
        tables = {PROXIMITY: self._rows}
        if plans.wrenches:
            tables[WRENCHES] = wrench_table(plans.wrenches, tick.scene.layout, now_ns)
        if self._watching is not None and now_ns >= self._watching.due_ns:
            tables |= self._watching.report(now_ns, motion)
        is_quiet = now_ns < plans.quiet_ns
        return MainChanges(
            tick.time_ns,
            block=self._block.data,
            tables=tables,
            events=[*aligned, *corrections, *self._events(engine, plans, now_ns, is_quiet)],
            ended=not is_quiet and plans.ended(now_ns),
            input_ns=plans.input_ns if plans.is_live else None,
            late=plans.is_live and plans.late,
            quiet_ns=self._quiet_ns(engine, moving),
            await_input=self._await_input if plans.is_live else None,
        )

    def _times(self, tick: MainTick, count: int) -> Sequence[int]:
        """The ends of the last `count` steps, in which only the robots' motion is new [ns]."""
        if count == 1:
            return (tick.time_ns,)
        last = self._clock.step_from(tick.time_ns)
        return [*self._clock.times_of(range(last - count + 1, last)), tick.time_ns]

    def _await_input(self) -> int | None:
        engine, moving = self._initialized()
        moving.plans.await_input(self._time_ns)
        return self._quiet_ns(engine, moving)

    def _quiet_ns(self, engine: Engine, moving: RobotMotion) -> int | None:
        """The time until which nothing but states is reported, so that many steps can be taken in one call [ns]."""
        plans = moving.plans
        if plans.senses or moving.bases.any or not engine.settled:
            return None
        quiet_ns = plans.quiet_ns if plans else FAR_FUTURE_NS
        return min(quiet_ns, self._watching.reports_ns) if self._watching is not None else quiet_ns

    def record_forces(self) -> Sequence[Floats]:
        """Record the forces that drive the robots from now on; the returned sequence grows by (k,) in each substep.

        Raises:
            Refused: if the engine does not support it, or the robots' source reacts to what they sense.
        """
        engine, moving = self._initialized()
        if moving.plans.senses:
            raise Refused("the source of the robots' motion reacts to their sensors")
        try:
            return engine.record_forces()
        except Unsupported as error:
            raise Refused(str(error)) from error

    def roll_out(self, forces: Floats) -> None:
        """Compute the continuation of the current state by physics alone, so that a step may cover several periods.

        Args:
            forces: forces that another run from this moment has recorded.

        Raises:
            Refused: if more than these forces determines the continuation.
        """
        try:
            self._changing_engine().roll_out(forces)
        except Unsupported as error:
            raise Refused(str(error)) from error

    def _events(self, engine: Engine, plans: Plans, time_ns: int, is_quiet: bool) -> list[Event]:
        events = [] if is_quiet else plans.events(time_ns)
        for remark in engine.take_remarks():
            arguments: dict[str, Json] = {
                "object": remark.name,
                "other": remark.other,
                "remark": remark.text,
            }
            events.append(Event(remark.event, time_ns, arguments=arguments))
        return (
            [*events, *self._external.events(time_ns)]
            if self._external.unsupported_forces
            else events
        )

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Return the object's pose or collision to the engine."""
        self._changing_engine()
        self._external.take(entity, attribute, value)

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        """Hand the object's pose or collision over to another model."""
        self._changing_engine()
        return self._external.release(entity, attribute, scene.time_ns)

    def place(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Move an object, or a static body, to a pose."""
        if attribute != POSE.name or self._block.can_move(entity, attribute):
            take_anew(self, entity, attribute, value, scene)
            return
        engine = self._changing_engine()
        try:
            engine.place_static(entity, value.data[:7])
        except Unsupported as error:
            raise Refused(str(error)) from error
        self._block.fill(engine)

    def change(self, parameters: Mapping[str, Any]) -> None:
        """Continue with other ``bodies`` or ``grips``, or with a plan as ``source``."""
        engine = self._changing_engine()
        _, moving = self._initialized()
        try:
            changed = with_changes(self.settings, parameters)
            check_bounces(changed.bodies, engine.name, bounces=engine.bounces)
            change_bodies(engine, self.settings.bodies, changed.bodies)
            moving.fingers.press(engine.driven, changed)
            if "source" in parameters:
                moving.replace_plans(changed, self._time_ns)
        except (Unsupported, BadInput) as error:
            raise Refused(str(error)) from error
        self.settings = changed

    def command(self, name: str, arguments: Mapping[str, Json]) -> None:
        """Execute ``attach`` or ``detach``."""
        engine = self._changing_engine()
        given = {key: str(value) for key, value in arguments.items()}
        try:
            if name == "attach" and set(given) == {"object", "to"}:
                engine.attach(given["object"], given["to"])
            elif name == "detach" and set(given) == {"object"}:
                engine.detach(given["object"])
            else:
                raise Refused(
                    f"the main model has no command {name!r} with {sorted(given)};"
                    " its commands are attach (object, to) and detach (object)"
                )
        except Unsupported as error:
            raise Refused(str(error)) from error

    def save(self) -> Mapping[str, Plain]:
        """Return the state of the engine, the source's position, and the robots' commands and readers.

        Raises:
            Refused: if the engine is not deterministic.
        """
        engine, moving = self._initialized()
        if not engine.deterministic:
            raise Refused(f"{engine.name} cannot be saved: it is not deterministic")
        return {
            "engine": record(engine.save(), name=engine.name),
            "changed": self.settings.model_dump(mode="json", include=SAVED_PARAMETERS),
            "parts": record(self._parts(moving), _SHARED_TYPES, "main model"),
            **moving.saved_source(),
        }

    def restore(self, saved: Mapping[str, Plain], scene: Snapshot) -> None:
        """Continue from a saved state; a source other than the saved one keeps its position.

        Raises:
            Refused: if it is a state of another world or engine.
        """
        engine, moving = self._initialized()
        changed, limited = saved["changed"], moving.limited
        assert isinstance(changed, dict)
        self.settings = with_changes(self.settings, changed)
        moving.prepare()
        parts = rebuild(saved["parts"], self._parts(moving), name="main model")
        if too_many := limited - moving.limited:
            raise Refused(f"the effort of {', '.join(sorted(too_many))} was limited later")
        self._rows = NO_PROXIMITY
        self._external.restore(parts)
        moving.restore(parts)
        self._time_ns = scene.time_ns
        try:
            engine.restore(rebuild(saved["engine"], name=engine.name))
        except Unsupported as error:
            raise Refused(str(error)) from error
        moving.restore_source(saved, scene)

    def _parts(self, moving: RobotMotion) -> dict[str, Any]:
        return {
            "block": self._block,
            "switcher": self._switcher,
            "watching": self._watching,
            **self._external.parts,
            **moving.parts,
        }

    def stop(self) -> None:
        """Close engine and source."""
        engine, self._engine = self._engine, None
        moving, self._moving = self._moving, None
        if engine is not None:
            if self._switcher is not None:
                self._switcher.reset(engine)
            engine.close()
        if moving is not None:
            moving.close()


def _engine(name: str) -> Engine:
    try:
        return make_engine(name)
    except ImportError as error:
        expected = "an engine that is installed; auto selects the first of them"
        raise BadInput(
            f"this engine cannot be used here: {error}",
            where="engine",
            found=name,
            expected=expected,
        ) from None


def _engine_settings(settings: Settings, world: World) -> EngineSettings:
    return EngineSettings(
        period=1.0 / settings.rate,
        substeps=settings.substeps,
        proximity_range=settings.proximity_range,
        proximity_objects=settings.proximity_objects,
        handed_over=objects_handed_over(settings, world),
        contact_time=settings.contact_time,
        options=settings.options,
    )


def _descriptions(robots: Sequence[SceneRobot], settings: Settings) -> dict[str, str]:
    """The URDF of each robot by name; a single robot has an empty name."""
    packages = {name: Path(folder) for name, folder in settings.packages.items()}
    bodies = [robot.body for robot in robots]
    return {
        body.name if body.one_of_several else "": urdf_of(
            body.file, Resources(body.file.parent, packages=packages)
        ).decode("utf-8")
        for body in bodies
        if body.file is not None
    }
