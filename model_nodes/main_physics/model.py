"""The main model: rigid-body physics of the scene, driven by recorded or live joint states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hetwin_core.ensemble.errors import BadInput, Refused, RunFailed
from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.machine_words import BASE_ALIGNED
from hetwin_core.ensemble.model import (
    AttributeStart,
    Contribution,
    Model,
    ModelDescription,
    ModelKind,
    StepInput,
    StepOutput,
)
from hetwin_core.ensemble.saving.plain import Plain
from hetwin_core.ensemble.saving.rebuild import rebuild
from hetwin_core.ensemble.saving.record import record
from hetwin_core.ensemble.scenario.robot import DriveMode
from hetwin_core.ensemble.scene.fidelity import FIDELITY
from hetwin_core.ensemble.scene.late_rows import LateRows
from hetwin_core.ensemble.scene.layout import Entity, Selection
from hetwin_core.ensemble.scene.snapshot import Snapshot, no_proximity
from hetwin_core.ensemble.scene.values import EXTERNAL_WRENCH, POSE, Floats, Value
from hetwin_core.ensemble.scene.watch import Finding, WatchLayout
from model_nodes.main_physics.base_drive import BASE_CORRECTED, BaseDrives
from model_nodes.main_physics.block import COLLISION, Block
from model_nodes.main_physics.changed_bodies import check_bounces
from model_nodes.main_physics.changing import OF_BODIES, change_bodies, with_changes
from model_nodes.main_physics.drive import Drive
from model_nodes.main_physics.engines.engine import (
    Diverged,
    Engine,
    EngineSettings,
    Rangefinder,
    Unsupported,
)
from model_nodes.main_physics.engines.factory import make_engine
from model_nodes.main_physics.fidelity_switching import FidelitySwitcher
from model_nodes.main_physics.fingers import Fingers
from model_nodes.main_physics.fittings import Sensors, rangefinders, run_belts
from model_nodes.main_physics.lidars import FittedLidar, fitted_lidars, with_scanners
from model_nodes.main_physics.limiting import LimitedFingers
from model_nodes.main_physics.loading import load_world
from model_nodes.main_physics.objects_handed_over import objects_handed_over
from model_nodes.main_physics.odometers import Odometer, odometer_of
from model_nodes.main_physics.robots import SceneRobot, robots_of
from model_nodes.main_physics.settings import Settings, read_settings
from model_nodes.main_physics.sources.source import JointMotion, JointNow, Source
from model_nodes.main_physics.start_overlaps import start_overlaps
from model_nodes.main_physics.watching import Watching
from model_nodes.main_physics.wheels import differential_drive
from model_nodes.main_physics.world.description import Body, Joint, World
from model_nodes.main_physics.world.entities import entities_of
from model_nodes.main_physics.world.names import joint_name

_NAME = "main_physics"
_KEPT = (Engine, Source, World, Body, Joint, WatchLayout, FittedLidar, Rangefinder)
"""What the parts of the main model use and do not change, or what is saved beside them."""
_CHANGED = "the run goes on with another source than it began with"


class MainPhysics(Model):
    """Moves robots as recorded and simulates everything else.

    Objects whose pose other models are responsible for follow those models, and still push and carry other objects.
    An `external_wrench` of another model acts on the objects that this one simulates.
    Commands: ``attach`` with object and to, ``detach`` with object.
    """

    settings_class = Settings

    def __init__(self) -> None:
        self._engine: Engine | None = None
        self._source: Source | None = None
        self._foreign: set[tuple[str, str]] = set()
        self._unsupported_forces: dict[str, str] = {}
        self._switcher: FidelitySwitcher | None = None
        self._watching: Watching | None = None
        self._begun = False
        self._rows = LateRows(no_proximity)
        self._time_ns = 0
        self._has_changed_source = False

    @classmethod
    def describe(cls) -> ModelDescription:
        """Describe the main model."""
        return ModelDescription(
            kind=ModelKind.SIMULATION,
            summary="Rigid-body physics of the scene, driven by recorded joint positions.",
            provides=Block.provides(),
            can_be_main=True,
            watched=True,
            raises={
                "overlap": "a body that was handed back overlaps another, so that they do not collide:"
                " object, other, remark",
                "force_not_felt": "another model's force on a body has no effect: object, remark",
                "server_deviates": "a Gazebo server in which the twin runs makes steps of its own, or does not do"
                " as it is asked: object (the world), other, remark",
                "robot_gap": "a live robot was silent: seconds [s]",
                BASE_CORRECTED: "a robot's base was put where its localization says: object (the robot), remark",
                BASE_ALIGNED: "a robot's base was put where the real one is: object (the robot), remark",
                "motion_skipped": "the twin of a live robot skips motion to catch up: seconds [s]",
                "command_refused": "a command was not obeyed: topic, reason",
                "time_lost": "a twin that obeys fell so far behind real time that it gave that up: seconds [s]",
            },
        )

    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        """Load world, robot and source; see `loading`."""
        settings = read_settings(parameters)
        world = load_world(settings)
        self._settings = settings
        engine = _engine(settings.engine)
        self._engine = engine
        check_bounces(settings.bodies, engine.name, bounces=engine.bounces)
        remarks = engine.load(world, _engine_settings(settings, world))
        robots = robots_of(settings, world)
        self._source = _open(settings, robots)
        self._bases = BaseDrives(robots, self._source, round(1e9 / settings.rate))
        self._robots = robots
        self._drive, notes = self._start_joints(robots, settings, engine)
        sensors = self._fit(robots, settings, engine)
        entities = with_scanners(entities_of(world, settings.tags), sensors.lidars)
        self._entities = {entity.name: entity for entity in entities}
        self._block = Block(world, engine, entities, sensors)
        self._block.fill(engine)
        if self._source is not None:
            self._source.use_places(self._pose_of, self._entities)
        findings = self._findings(entities, settings, engine)
        descriptions = _descriptions(robots)
        self._watching = self._watch(robots, settings, engine, findings)
        return Contribution(
            entities=tuple(entities),
            attributes=tuple(
                AttributeStart(entity, attribute, Value(data, 0))
                for entity, attribute, data in self._block.starts()
            ),
            reads=(Selection("*", FIDELITY.name),),
            warnings=(*world.warnings, *remarks, *notes),
            duration_ns=None if self._source is None else self._source.duration_ns,
            robot_description=descriptions.pop("", ""),
            engine=engine.description,
            shown=engine.shown,
            reproducible=engine.deterministic
            and (self._source is None or self._source.reproducible),
            watch=self._watched(findings),
            robot_descriptions=descriptions,
        )

    def _findings(
        self, entities: Sequence[Entity], settings: Settings, engine: Engine
    ) -> tuple[Finding, ...]:
        """What is odd before the first step; nothing if nothing is to be reported."""
        if settings.watch_rate <= 0.0:
            return ()
        overlaps = start_overlaps(engine, self._block, entities, settings.clearance_range)
        return overlaps if self._source is None else (*overlaps, *self._source.findings)

    def _watched(self, findings: tuple[Finding, ...]) -> WatchLayout | None:
        if self._watching is not None:
            return self._watching.layout
        return WatchLayout.without_robot(findings) if findings else None

    def _watch(
        self,
        robots: Sequence[SceneRobot],
        settings: Settings,
        engine: Engine,
        findings: tuple[Finding, ...],
    ) -> Watching | None:
        if not robots or settings.watch_rate <= 0.0:
            return None
        return Watching(
            [robot.body for robot in robots],
            engine,
            self._block,
            self._drive,
            settings.rate,
            settings.watch_rate,
            settings.clearance_range,
            self._given_way,
            findings,
        )

    def _fit(self, robots: Sequence[SceneRobot], settings: Settings, engine: Engine) -> Sensors:
        """Start the robots' belts; returns their sensors."""
        found: list[Rangefinder] = []
        lidars: list[FittedLidar] = []
        odometers: list[Odometer] = []
        for robot in robots:
            said, links = robot.said, robot.links
            if said is None:
                continue
            run_belts(engine, said.belts, links, robot.where)
            found += rangefinders(said.range_sensors, links, robot.where)
            names = (*engine.frames, *(lidar.pattern.frame_on(lidar.link) for lidar in lidars))
            lidars += fitted_lidars(said.lidars, links, names, settings.rate, robot.where)
            odometer = odometer_of(robot.body, said, self._bases, engine.joints)
            odometers += [] if odometer is None else [odometer]
        return Sensors(tuple(found), tuple(lidars), tuple(odometers))

    def start(self, scene: Snapshot) -> None:
        """Find the objects whose fidelity the scene controls."""
        self._switcher = FidelitySwitcher(scene, (*self._block.objects, *self._block.links))

    def _start_joints(
        self, robots: Sequence[SceneRobot], settings: Settings, engine: Engine
    ) -> tuple[Drive, list[str]]:
        start = {name: at for robot in robots for name, at in robot.joints_at_start.items()}
        bodies = [robot.body for robot in robots]
        drive = Drive(bodies, self._source, start, round(1e9 / settings.rate))
        joints = [joint for body in bodies for joint in body.driven_joints]
        self._fingers = Fingers(engine.driven, settings, engine)
        self._limits = LimitedFingers(
            {joint_name(body, joint): joint for body in bodies for joint in body.driven_joints}
        )
        self._own = np.flatnonzero([joint.drive.mode is not DriveMode.FOLLOW for joint in joints])
        self._given_way = tuple(sorted({*self._fingers.loose, *self._own.tolist()}))
        self._place(engine, drive.at(0))
        notes = [str(note) for note in getattr(self._source, "notes", ())]
        if self._source is not None and joints and not drive.has_efforts(0):
            notes.append("source: has no joint efforts; joint_efforts is 0")
        return drive, notes

    def _place(self, engine: Engine, motion: JointMotion) -> None:
        motion = self._fingers.closed(motion)
        count = len(motion.positions)
        positions, velocities = np.zeros(len(engine.joints)), np.zeros(len(engine.joints))
        positions[:count] = motion.positions
        velocities[:count] = motion.velocities
        engine.place_joints(positions, velocities)
        self._bases.place(engine)

    def _begin(self, engine: Engine) -> None:
        """Prepare the first step; a live robot may have moved since it was bound."""
        self._begun = True
        if self._source is not None and self._source.begin():
            self._place(engine, self._drive.at(0))

    def _require_engine(self) -> Engine:
        if self._engine is None:
            raise RunFailed(_NAME, "step", 0, "the model is not initialized")
        return self._engine

    def _changing_engine(self) -> Engine:
        """The engine, for a change between two steps, before which the rows of the last one are computed."""
        engine = self._require_engine()
        self._rows.rows()
        return engine

    def step(self, tick: StepInput) -> StepOutput:
        """Apply other models' values, command the robot, step the engine and read its state."""
        engine, source = self._require_engine(), self._source
        if not self._begun:
            self._begin(engine)
        self._set_fidelities(engine, tick)
        if tick.foreign or self._foreign:
            self._follow(engine, tick.foreign)
        aligned: list[Event] = []
        if source is not None and source.senses:
            now_ns = tick.time_ns - tick.period_ns
            source.sense(now_ns, self._block.joint_positions, tick.events)
            aligned = self._align(engine, source, now_ns)
        motion = self._drive.at(tick.time_ns)
        if source is not None and self._limits.update(engine, source.limited):
            self._let_loose(engine)
        self._time_ns = tick.time_ns
        self._fingers.command(motion)
        corrections = [*aligned, *self._bases.command(engine, tick.time_ns)]
        try:
            engine.step()
        except Diverged as error:
            raise RunFailed(_NAME, "step", tick.time_ns, str(error)) from error
        self._block.next()
        self._block.set_efforts(self._efforts(engine, motion))
        self._block.fill(engine)
        return StepOutput(
            time_ns=tick.time_ns,
            block=self._block.data,
            proximity=self._near(engine),
            events=[*corrections, *self._events(engine, source, tick.time_ns)],
            ended=source is not None and source.ended(tick.time_ns),
            input_ns=None if source is None else source.input_ns,
            late=source is not None and source.late,
            watch=None if self._watching is None else self._watching.report(tick.time_ns, motion),
        )

    def _align(self, engine: Engine, source: Source, time_ns: int) -> list[Event]:
        """Put the base of the robot where the source has it; returns the event that says by how much it was off."""
        placement = source.take_placement()
        if placement is None:
            return []
        try:
            return [self._bases.align(engine, self._block.value, placement, time_ns)]
        except Unsupported as error:
            raise RunFailed(_NAME, "step", time_ns, str(error)) from error

    def _pose_of(self, entity: str) -> Floats:
        return self._block.value(entity, POSE.name)

    def _let_loose(self, engine: Engine) -> None:
        """Take note of the joints whose efforts are limited since the run began."""
        joints = [engine.driven.index(name) for name in self._limits.names]
        self._own = np.union1d(self._own, joints).astype(np.intp)
        if self._watching is not None:
            self._watching.let_loose(joints)

    def _efforts(self, engine: Engine, motion: JointMotion) -> Floats:
        """The recorded efforts, and those of the drives that do not follow."""
        if not len(self._own):
            return motion.efforts
        exerted, efforts = np.empty(len(motion.efforts)), motion.efforts.copy()
        engine.read_efforts(exerted)
        known = ~np.isnan(exerted)
        efforts[known] = exerted[known]
        return efforts

    def _near(self, engine: Engine) -> LateRows:
        """What computes the rows of proximity after this step."""
        compute = engine.proximity_when_read()
        lasts = engine.remembers_forces
        self._rows = LateRows(lambda: self._block.of_entities(compute()), lasts=lasts)
        return self._rows

    def _events(self, engine: Engine, source: Source | None, time_ns: int) -> list[Event]:
        events = [] if source is None else source.events(time_ns)
        for remark in engine.take_remarks():
            arguments: dict[str, Json] = {
                "object": remark.name,
                "other": remark.other,
                "remark": remark.text,
            }
            events.append(Event(remark.event, time_ns, arguments=arguments))
        for entity, why in self._unsupported_forces.items():
            if why:
                arguments = {"object": entity, "remark": why}
                events.append(Event("force_not_felt", time_ns, arguments=arguments))
                self._unsupported_forces[entity] = ""
        return events

    def _follow(self, engine: Engine, foreign: Mapping[tuple[str, str], Value]) -> None:
        for key, value in foreign.items():
            entity, attribute = key
            if attribute == POSE.name:
                engine.follow(entity, value)
            elif attribute == COLLISION.name:
                self._set_collision(engine, entity, value.data)
            elif attribute == EXTERNAL_WRENCH.name and self._block.can_move(entity, POSE.name):
                self._push(engine, entity, value)

    def _push(self, engine: Engine, entity: str, value: Value) -> None:
        """Apply a force; if the engine does not support it, an event reports that once for each object."""
        try:
            engine.push(entity, value.data)
        except Unsupported as error:
            self._unsupported_forces.setdefault(entity, str(error))

    def _set_fidelities(self, engine: Engine, tick: StepInput) -> None:
        if self._switcher is None:
            return
        try:
            self._switcher.update(engine, tick.scene)
        except Unsupported as error:
            raise RunFailed(_NAME, "step", tick.time_ns, str(error)) from error

    def _set_collision(self, engine: Engine, entity: str, data: Floats) -> None:
        on = bool(data[0] >= 0.5)
        if self._block.set_collision(entity, on):
            engine.set_collision(entity, on)

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Hand the object's pose (or collision) back to the engine."""
        engine = self._changing_engine()
        self._check(entity, attribute)
        if attribute == COLLISION.name:
            self._set_collision(engine, entity, value.data)
        else:
            engine.hand_back(entity, value)
        self._foreign.discard((entity, attribute))

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        """Release the object's pose (or collision) to another model."""
        engine = self._changing_engine()
        self._check(entity, attribute)
        value = Value(self._block.value(entity, attribute), scene.time_ns)
        if attribute == POSE.name:
            try:
                engine.follow(entity, value)
            except Unsupported as error:
                raise Refused(str(error)) from error
        self._foreign.add((entity, attribute))
        return value

    def _check(self, entity: str, attribute: str) -> None:
        if not self._block.can_move(entity, attribute):
            raise Refused(
                f"the main model keeps {entity}.{attribute}: it can hand over only the pose and the collision"
                " of free objects"
            )

    def place(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Put an object or a body that stands elsewhere."""
        if attribute != POSE.name or self._block.can_move(entity, attribute):
            super().place(entity, attribute, value, scene)
            return
        engine = self._changing_engine()
        try:
            engine.place_standing(entity, value.data[:7])
        except Unsupported as error:
            raise Refused(str(error)) from error
        self._block.fill(engine)

    def change(self, parameters: Mapping[str, Any]) -> None:
        """Go on with other ``bodies`` or ``grips``, or with a plan as ``source``."""
        engine = self._changing_engine()
        try:
            changed = with_changes(self._settings, parameters)
            check_bounces(changed.bodies, engine.name, bounces=engine.bounces)
            change_bodies(engine, self._settings.bodies, changed.bodies)
            self._fingers.press(engine.driven, changed)
            if "source" in parameters:
                self._go_on_with(_open(changed, self._robots), self._time_ns)
                self._has_changed_source = True
        except (Unsupported, BadInput) as error:
            raise Refused(str(error)) from error
        self._settings = changed

    def _go_on_with(self, source: Source | None, time_ns: int) -> None:
        """Let a source take the robots over from where they are.

        Raises:
            Refused: if it cannot begin in the middle of a run.
        """
        if source is None or not source.takes_over:
            raise Refused("only a plan can take a robot over in the middle of a run")
        engine = self._require_engine()
        joints = self._joints_now(engine)
        start = {name: joint.position for name, joint in joints.items()}
        mimics = {joint_name(r.body, j) for r in self._robots for j in r.body.joints if j.mimic}
        held = {name: at for name, at in start.items() if name not in mimics}
        bodies, period_ns = (
            [robot.body for robot in self._robots],
            round(1e9 / self._settings.rate),
        )
        bases = BaseDrives(self._robots, source, period_ns)
        drive = Drive(bodies, source, held, period_ns)
        source.use_places(self._pose_of, self._entities)
        source.take_over(time_ns, joints)
        if self._source is not None and self._source is not source:
            self._source.close()
        self._source, self._drive, self._bases = source, drive, bases
        if self._watching is not None:
            self._watching.go_on_with(drive)

    def _joints_now(self, engine: Engine) -> dict[str, JointNow]:
        """How the driven joints are; those with a limited effort as far beyond that as they press."""
        positions, velocities = np.zeros(len(engine.joints)), np.zeros(len(engine.joints))
        engine.read_joints(positions, velocities)
        efforts = self._block.efforts(engine.driven)
        now = zip(engine.driven, positions.tolist(), velocities.tolist(), strict=False)
        return {
            name: JointNow(at + self._limits.pressing(name, efforts[name]), speed, efforts[name])
            for name, at, speed in now
        }

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
        """Return the state of the engine, where the source is, and what commands and reads the robots.

        Raises:
            Refused: if the engine does not reproduce its bits.
        """
        engine = self._require_engine()
        if not engine.deterministic:
            raise Refused(f"{engine.name} cannot be saved: it does not go on with the same bits")
        return {
            "engine": record(engine.save(), name=engine.name),
            "changed": self._settings.model_dump(mode="json", include=OF_BODIES),
            "parts": record(self._parts(), _KEPT, "main model"),
            **(
                {"needs_source": _CHANGED}
                if self._has_changed_source
                else _saved_source(self._source)
            ),
        }

    def restore(self, saved: Mapping[str, Plain], scene: Snapshot) -> None:
        """Continue from there; a source that is another one than the saved one is not brought anywhere.

        Raises:
            Refused: if it is a state of another world or engine.
        """
        engine = self._require_engine()
        changed = saved["changed"]
        assert isinstance(changed, dict)
        self._settings = with_changes(self._settings, changed)
        self._begin(engine)
        parts = rebuild(saved["parts"], self._parts(), name="main model")
        self._foreign, self._begun = parts["foreign"], parts["begun"]
        self._unsupported_forces = parts["unsupported_forces"]
        self._drive.measured_efforts = parts["measured_efforts"]
        self._time_ns = scene.time_ns
        if self._limits.again(engine):
            self._let_loose(engine)
        try:
            engine.restore(rebuild(saved["engine"], name=engine.name))
        except Unsupported as error:
            raise Refused(str(error)) from error
        if self._source is not None and "source" in saved:
            self._source.restore(saved["source"])
        elif self._source is not None and self._source.takes_over:
            self._go_on_with(self._source, scene.time_ns)

    def _parts(self) -> dict[str, Any]:
        return {
            "block": self._block,
            "bases": self._bases,
            "measured_efforts": self._drive.measured_efforts,
            "fingers": self._fingers,
            "limits": self._limits,
            "switcher": self._switcher,
            "watching": self._watching,
            "foreign": self._foreign,
            "unsupported_forces": self._unsupported_forces,
            "begun": self._begun,
        }

    def stop(self) -> None:
        """Close engine and source."""
        engine, self._engine = self._engine, None
        source, self._source = self._source, None
        if engine is not None:
            if self._switcher is not None:
                self._switcher.reset(engine)
            engine.close()
        if source is not None:
            source.close()


def _saved_source(source: Source | None) -> dict[str, Plain]:
    """Where the source is, or why no other process can go on with it."""
    if source is None:
        return {}
    try:
        return {"source": source.save()}
    except Refused as refusal:
        return {"needs_source": str(refusal)}


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


def _open(settings: Settings, robots: Sequence[SceneRobot]) -> Source | None:
    if isinstance(settings.source, Source):
        return settings.source
    if settings.robots:
        from model_nodes.main_physics.sources.open_several import open_several

        return open_several([r for r in robots if r.said is not None], settings.hands)
    if settings.source is None:
        return None
    from model_nodes.main_physics.sources.factory import open_source

    bodies = [robot.body for robot in robots]
    source = open_source(settings.source, robots=bodies, hands=settings.hands)
    for robot in robots:
        if robot.said is not None and robot.said.wheels is not None:
            source.use_wheels(differential_drive(robot.body, robot.said.wheels))
    return source


def _descriptions(robots: Sequence[SceneRobot]) -> dict[str, str]:
    """The URDF of each robot by name, by an empty name of the only one."""
    bodies = [robot.body for robot in robots]
    return {
        body.name if body.one_of_several else "": body.file.read_text("utf-8")
        for body in bodies
        if body.file is not None
    }
