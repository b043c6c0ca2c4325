"""The interface through which the main model drives a physics engine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from hetwin_core.ensemble.errors import HetwinError
from hetwin_core.ensemble.scene.snapshot import CLEARANCES, PROXIMITY, TOUCHES, no_rows
from hetwin_core.ensemble.scene.values import Fidelity, Floats, Value
from model_nodes.main_physics.sources.part import JointMotion
from model_nodes.main_physics.world.description import Body, JointDrive, Vector, World


class Unsupported(HetwinError):
    """The engine does not support an operation."""


class Diverged(HetwinError):
    """The simulation has diverged; the text names the body."""


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """Settings of an engine that are not part of the world.

    Attributes:
        period: simulated time that one `step` covers [s].
        substeps: equal parts that the engine divides it into.
        proximity_range: pairs closer than this are reported [m].
        proximity_objects: names of the objects; None: all, if they are at most `proximity.EVERYTHING_NEAR`.
        handed_over: (object, attribute) that other models may take; others cost more time.
        contact_time: time constant with which penetrations decay [s]; None: the engine's default.
        options: engine-specific options, by name.
    """

    period: float
    substeps: int = 1
    proximity_range: float = 0.02
    proximity_objects: tuple[str, ...] | None = None
    handed_over: tuple[tuple[str, str], ...] = ()
    contact_time: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Remark:
    """A message about something the engine did to an object and another body.

    Attributes:
        event: name of the main model's event that carries it.
    """

    name: str
    other: str
    text: str
    event: str = "overlap"


NO_HIT = -1.0
"""Reported in place of a frame's index where a ray hits nothing."""


@dataclass(frozen=True, slots=True)
class Rangefinder:
    """A range sensor on a link of a robot.

    Attributes:
        frame: the link.
        at: origin of the ray, in the link's frame [m].
        along: direction of the ray, a unit vector in the link's frame.
        reach: its maximum range [m].
    """

    frame: str
    at: Vector
    along: Vector
    reach: float


@dataclass(frozen=True, slots=True, eq=False)
class Scanner:
    """A laser scanner on a link of a robot: beams from one point.

    Attributes:
        frame: the link.
        at: where the beams begin, in the link's frame [m].
        along: (n, 3) their directions, unit vectors in the link's frame.
        reach: their maximum range [m].
    """

    frame: str
    at: Vector
    along: Floats
    reach: float


class Engine(ABC):
    """A world of bodies that advances in steps of one period.

    Poses are (13,) arrays as in `scene.values`, in the world frame unless noted. Frames are the
    roots of all bodies, the links of robots and of articulated models, and the hands; their names are those
    of `names.frame_name`. All methods except `load` require a loaded world.

    Methods that an engine cannot implement soundly raise `Unsupported`.
    """

    name: ClassVar[str]
    deterministic: ClassVar[bool]
    """Whether the same input gives bitwise identical results in every process."""
    bounces: ClassVar[bool] = False
    """Whether it can make a body bounce as much as specified."""

    @property
    def description(self) -> str:
        """Name and version of the engine, for the log."""
        return self.name

    @property
    def shown(self) -> Mapping[str, str]:
        """Where other programs see the world, as `Contribution.shown`; empty: nowhere."""
        return {}

    @abstractmethod
    def load(self, world: World, settings: EngineSettings) -> tuple[str, ...]:
        """Load a world at rest with all joints at zero; returns notes for the user.

        Raises:
            BadInput: if the engine cannot use the world.
        """

    @property
    @abstractmethod
    def frames(self) -> tuple[str, ...]:
        """Names of the frames, in the order of `read_frames`."""

    @property
    @abstractmethod
    def joints(self) -> tuple[str, ...]:
        """Names of all joints, those of robots first, in the order of `read_joints`."""

    @property
    @abstractmethod
    def driven(self) -> tuple[str, ...]:
        """Names of the robots' joints: the first ones of `joints`, in the order of `command_joints`."""

    @abstractmethod
    def place_joints(self, positions: Floats, velocities: Floats) -> None:
        """Set the initial state of all joints, before the first step; rad or m, and per second."""

    @abstractmethod
    def command_joints(self, positions: Floats, velocities: Floats, accelerations: Floats) -> None:
        """Command the state of the driven joints at the end of the next step.

        Joints whose drive follows track the command within 1e-3 rad or m, whatever they push. One with a limited
        effort does so in free space; of one that is driven by velocity, only the velocity counts.
        """

    @property
    def bases(self) -> tuple[str, ...]:
        """Names of the robots whose base follows a command, in the order of `command_bases`."""
        return ()

    def place_base(self, robot: str, state: Floats) -> None:
        """Set the base of a robot exactly, at the start or as a correction between two steps.

        Held objects go along, except before the first step: whatever touches the robot, directly or through other
        free bodies, and nothing that stands still. Velocities along the world's axes turn with the base.

        Args:
            robot: one of `bases`, or a robot with a free base.
            state: (13,) pose and twist of its root link in the world.
        """
        raise Unsupported(f"{self.name} cannot place the base of {robot}")

    def command_bases(self, states: Floats) -> None:
        """Command the poses and twists of the robots' root links at the end of the next step.

        A base tracks its command within 1e-3 m and 1e-3 rad, whatever it pushes.

        Args:
            states: (n, 13) in the world, of `bases`.
        """

    def read_efforts(self, out: Floats) -> None:
        """Write the efforts [Nm or N] with which the drives of `driven` joints acted in the last step.

        NaN for joints that follow their command whatever they push.
        """
        out[:] = np.nan

    def soften_joints(self, joints: Sequence[str], stiffness: float) -> None:
        """Let forces move these driven joints from now on; they no longer track their command whatever they push.

        Each is pushed by its commanded effort, and by a critically damped spring to its commanded state.

        Args:
            joints: some of `driven`.
            stiffness: of the springs [Nm/rad or N/m].
        """
        raise Unsupported(f"{self.name} cannot move {', '.join(joints)} by forces")

    def limit_joints(self, drives: Mapping[str, JointDrive]) -> None:
        """Let these driven joints pull towards their command with a limited effort from now on.

        They stop at the bodies that they touch, also where another model prescribes its motion.

        Args:
            drives: of some of `driven`, by name.
        """
        raise Unsupported(f"{self.name} cannot limit the efforts of {', '.join(drives)} in a run")

    def command_efforts(self, efforts: Floats) -> None:
        """Command the efforts [Nm or N] of all driven joints for the next step; only soft joints use theirs."""

    @abstractmethod
    def step(self, *, is_seen: bool = True) -> None:
        """Advance by one period.

        Args:
            is_seen: whether anything is asked of the state that it leads to; the last of several steps always is.

        Raises:
            Diverged: if the state is no longer finite or bodies fly off.
        """

    def stretch(self, motions: Sequence[JointMotion], *, is_seen: bool = True) -> None:
        """Advance by one period with each of some commands of the driven joints.

        Args:
            motions: the commands; none: nothing happens.
            is_seen: whether anything is asked of the state that the last one leads to.

        Raises:
            Diverged: see `step`.
        """
        for motion in motions:
            self.command_joints(motion.positions, motion.velocities, motion.accelerations)
            self.step(is_seen=is_seen and motion is motions[-1])

    @abstractmethod
    def read_frames(self, out: Floats) -> None:
        """Write the poses and twists of all frames, consistent at the current time, to `out` (n, 13)."""

    @abstractmethod
    def read_joints(self, positions: Floats, velocities: Floats) -> None:
        """Write the positions and velocities of all joints."""

    def proximity(self) -> Floats:
        """(n, 12) rows as `Snapshot.proximity`, with indices of frames instead of entities.

        Distances are those at the current time, forces those of the last step.
        """
        return no_rows(PROXIMITY)

    def proximity_when_read(self) -> Callable[[], Floats]:
        """Return a function that computes `proximity` of the present state, whenever it is called.

        It must have been called before anything is changed between two steps. Once another step has begun, the forces
        are 0 unless the engine remembers them.
        """
        return self.proximity().copy

    def clearances(self, reach: float) -> Floats:
        """(n, 9) rows as `Watch.clearances`, with indices of frames instead of entities, at the current time.

        All links of robots that are nearer than `reach` [m] to a static body or to another link of the robot, whether
        they collide or not; without pairs of links whose contact means nothing, see `mujoco.link_pairs`.
        """
        return no_rows(CLEARANCES)

    def take_touches(self) -> Floats:
        """(n, 9) rows as `Watch.touches`, with indices of frames instead of entities, of all steps since the last call.

        Links of robots with free bodies, as they collide, and with static bodies and other links as `clearances` has
        them. They are noted from the first call on.
        """
        return no_rows(TOUCHES)

    def expected_efforts(
        self, positions: Floats, velocities: Floats, accelerations: Floats
    ) -> Floats:
        """(n,) efforts [Nm or N] that a motion of the driven joints needs, each as if it had a drive of its own.

        By inverse dynamics of the robots as described, with gravity, damping and friction of the joints, and without
        contacts or loads. NaN for a joint that moves no mass. The simulation is not affected.
        """
        return np.full(len(positions), np.nan)

    @abstractmethod
    def contacts(self) -> Floats:
        """(n, 11) contacts of the last step.

        Columns: frame, other frame, distance [m] (negative inside), point x y z, normal x y z from the other
        to the frame, normal force [N], friction force [N].
        """

    @abstractmethod
    def follow(self, name: str, value: Value) -> None:
        """Make an object kinematic: from now on another model prescribes its motion.

        It pushes and carries other free bodies, and no force affects it; it is detached from whatever it was attached
        to. A pose
        in the world is extrapolated with its twist; a pose in a parent frame is composed with that frame's
        motion. Called again for each newer value.

        Raises:
            Unsupported: if the body cannot be made kinematic.
        """

    @abstractmethod
    def hand_back(self, name: str, value: Value) -> None:
        """Hand an object back to the engine at this pose and twist; it is detached from everything.

        An object that penetrates others because of the pose's error is not ejected; `take_remarks` reports it.
        """

    @abstractmethod
    def set_collision(self, name: str, on: bool) -> None:
        """Enable or disable all collisions of an object."""

    def set_fidelity(self, names: Iterable[str], level: Fidelity) -> None:
        """Set the level of detail of objects from now on; poses and velocities are preserved to the bit.

        Kinematic and attached objects stay at high fidelity until that ends.
        """
        raise Unsupported(f"{self.name} cannot lower the fidelity of {', '.join(names)}")

    def fidelity(self, name: str) -> Fidelity:
        """The current fidelity of an object."""
        return Fidelity.HIGH

    def read_rangefinders(self, rangefinders: Sequence[Rangefinder]) -> Floats:
        """The current readings of range sensors: (n, 2) distance [m] and index of the frame.

        A rangefinder that hits nothing, or whose link has low fidelity, reports its reach and `NO_HIT`.
        """
        raise Unsupported(f"{self.name} has no range sensors")

    def read_scan(self, scanner: Scanner) -> Floats:
        """The current scan of a laser scanner: (n,) distances [m].

        A beam that hits nothing else than the scanner's own link, or any while that link has low fidelity, reports the
        reach.
        """
        x, y, z = scanner.along.T.tolist()
        beams = [
            Rangefinder(scanner.frame, scanner.at, along, scanner.reach)
            for along in zip(x, y, z, strict=True)
        ]
        return np.ascontiguousarray(self.read_rangefinders(beams)[:, 0])

    def push(self, name: str, wrench: Floats) -> None:
        """Apply a force and a torque to an object until they are changed.

        Args:
            name: of a free body.
            wrench: (6,) force [N] and torque about the body's origin [Nm], along the world's axes.
        """
        raise Unsupported(f"{self.name} cannot push {name} with a force")

    def run_belt(self, frame: str, velocity: Vector, turn: Vector = (0.0, 0.0, 0.0)) -> None:
        """Set the surface velocity of a body, as of a conveyor.

        Args:
            frame: the body.
            velocity: of all its surfaces, in the axes of each of its geometries [m/s].
            turn: angular velocity of its surfaces about each geometry's centre, as of a roller [rad/s].
        """
        raise Unsupported(f"{self.name} cannot move the surface of {frame}")

    def attach(self, name: str, to: str) -> None:
        """Attach an object rigidly to another frame at its current relative pose."""
        raise Unsupported(f"{self.name} cannot attach {name} to {to}")

    def detach(self, name: str) -> None:
        """Undo `attach`."""
        raise Unsupported(f"{self.name} cannot detach {name}")

    def place_standing(self, name: str, pose: Floats) -> None:
        """Move a body that stands to another pose (7,) in the world, between two steps; it stands there from now on.

        Objects that lie on it or touch it does not go along.

        Raises:
            Unsupported: if the engine cannot, or this is no body of the world that stands.
        """
        raise Unsupported(f"{self.name} cannot move {name}, which stands")

    def change_body(
        self,
        name: str,
        *,
        mass: float = 1.0,
        friction: float = 1.0,
        coefficient: float | None = None,
        bounce: float | None = None,
    ) -> None:
        """Make a body heavier, rougher or bouncing from now on.

        Args:
            name: of a body.
            mass: factor of its mass and its inertia.
            friction: factor of the coefficients of its surfaces.
            coefficient: of all its surfaces; None: as they are.
            bounce: share of the speed that is left when it has struck something hard; None: as it is.

        Raises:
            Unsupported: if the engine cannot, or there is no such body.
        """
        raise Unsupported(f"{self.name} cannot change {name} in a run")

    def save(self) -> object:
        """Return the whole state, for `restore` in the same process."""
        raise Unsupported(f"{self.name} cannot save its state")

    def restore(self, state: object) -> None:
        """Restore a saved state, to the bit."""
        raise Unsupported(f"{self.name} cannot restore a state")

    def record_forces(self) -> Sequence[Floats]:
        """Keep the forces that drive the robots from now on, for `roll_out`; the result grows, (k,) each time."""
        raise Unsupported(f"{self.name} cannot say which forces drive the robots")

    def roll_out(self, forces: Floats) -> None:
        """Compute the continuation of the present state under forces of another run from this moment, for `leap`.

        Raises:
            Unsupported: if the engine cannot, or more than these forces decides the continuation.
        """
        raise Unsupported(f"{self.name} cannot compute states ahead")

    @property
    def computed_ahead(self) -> bool:
        """Whether `roll_out` has computed states for `leap`."""
        return False

    @property
    def settled(self) -> bool:
        """Whether nothing in the engine itself will call for a remark, so that steps may follow each other unseen."""
        return False

    def leap(self, periods: int) -> None:
        """Go on from the state that `roll_out` has computed, so many periods later.

        Raises:
            Unsupported: if it has computed none.
        """
        raise Unsupported(f"{self.name} cannot compute states ahead")

    def add(self, body: Body) -> None:
        """Add a body to the running world; `frames` changes."""
        raise Unsupported(f"{self.name} cannot add {body.name} to a running world")

    def remove(self, name: str) -> None:
        """Remove a body from the running world; `frames` changes."""
        raise Unsupported(f"{self.name} cannot remove {name} from a running world")

    def take_remarks(self) -> list[Remark]:
        """Return the remarks made since the last call."""
        return []

    @abstractmethod
    def close(self) -> None:
        """Release all resources."""


@dataclass(frozen=True, slots=True)
class EngineKind:
    """An engine that a package brings: the target of an entry point of the group ``hetwin.engines`` names.

    Attributes:
        make: returns a new engine; raises ImportError if its simulator is not installed.
        release: returns the name and release of its simulator, without importing it; empty if it is not installed.
    """

    make: Callable[[], Engine]
    release: Callable[[], str]
