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
        substeps: number of equal parts into which the engine divides the period.
        proximity_range: pairs closer than this are reported [m].
        proximity_objects: names of the objects; None: all, if there are at most `proximity.MAX_PROXIMITY_OBJECTS`.
        handed_over: (object, attribute) that other models may take over; any other takeover costs more time.
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
    """A message about an effect of the engine on an object and another body.

    Attributes:
        event: name of the main model's event that carries it.
    """

    name: str
    other: str
    text: str
    event: str = "overlap"


NO_HIT = -1.0
"""Frame index that is reported if a ray hits nothing."""


@dataclass(frozen=True, slots=True)
class Rangefinder:
    """A range sensor on a link of a robot.

    Attributes:
        frame: name of the link.
        at: origin of the ray, in the link's frame [m].
        along: direction of the ray, a unit vector in the link's frame.
        reach: maximum range [m].
    """

    frame: str
    at: Vector
    along: Vector
    reach: float


@dataclass(frozen=True, slots=True, eq=False)
class Scanner:
    """A laser scanner on a link of a robot: beams from one point.

    Attributes:
        frame: name of the link.
        at: common origin of the beams, in the link's frame [m].
        along: (n, 3) directions of the beams, unit vectors in the link's frame.
        reach: maximum range [m].
    """

    frame: str
    at: Vector
    along: Floats
    reach: float


class Engine(ABC):
    """A world of bodies that advances in steps of one period.

    Poses are (13,) arrays as in `scene.values`, in the world frame unless noted. Frames are the roots of all bodies,
    the links of robots and of articulated models, and the hands, with names from `frame_name`. All methods except
    `load` require a loaded world.

    Methods that an engine cannot implement soundly raise `Unsupported`.
    """

    name: ClassVar[str]
    deterministic: ClassVar[bool]
    """Whether the same input gives bitwise identical results in every process."""
    bounces: ClassVar[bool] = False
    """Whether the engine simulates a body's coefficient of restitution."""

    @property
    def description(self) -> str:
        """Name and version of the engine, for the log."""
        return self.name

    @property
    def shown(self) -> Mapping[str, str]:
        """Addresses at which other programs show the world, as `Contribution.shown`; empty if there are none."""
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
        """Names of the robots' driven joints: the first ones of `joints`, in the order of `command_joints`."""

    @abstractmethod
    def place_joints(self, positions: Floats, velocities: Floats) -> None:
        """Set the initial state of all joints, before the first step [rad or m, rad/s or m/s]."""

    @abstractmethod
    def command_joints(self, positions: Floats, velocities: Floats, accelerations: Floats) -> None:
        """Command the state of the driven joints at the end of the next step.

        A joint with the drive mode ``follow`` tracks the command within 1e-3 rad or m, whatever it pushes. A joint with
        limited effort does so in free space. A joint with a velocity drive uses only the velocity.
        """

    @property
    def bases(self) -> tuple[str, ...]:
        """Names of the robots whose base follows a command, in the order of `command_bases`."""
        return ()

    def place_base(self, robot: str, state: Floats) -> None:
        """Set the base of a robot exactly, at the start or as a correction between two steps.

        Except before the first step, held objects move with the robot: free bodies that touch the robot, directly or
        through other free bodies; static bodies do not. Velocities in the world frame rotate with the base.

        Args:
            robot: one of `bases`, or a robot with a free base.
            state: (13,) pose and twist of the robot's root link in the world.
        """
        raise Unsupported(f"{self.name} cannot place the base of {robot}")

    def command_bases(self, states: Floats) -> None:
        """Command the poses and twists of the robots' root links at the end of the next step.

        A base tracks its command within 1e-3 m and 1e-3 rad, whatever it pushes.

        Args:
            states: (n, 13) poses and twists in the world, in the order of `bases`.
        """

    def read_efforts(self, out: Floats) -> None:
        """Write the efforts [Nm or N] with which the drives of the `driven` joints acted in the last step.

        The effort is NaN for joints that follow their command whatever they push.
        """
        out[:] = np.nan

    def soften_joints(self, joints: Sequence[str], stiffness: float) -> None:
        """Let forces move these driven joints from now on; they stop tracking their command whatever they push.

        Each joint is pushed by its commanded effort, and by a critically damped spring towards its commanded state.

        Args:
            joints: names of joints among `driven`.
            stiffness: stiffness of the springs [Nm/rad or N/m].
        """
        raise Unsupported(f"{self.name} cannot move {', '.join(joints)} by forces")

    def limit_joints(self, drives: Mapping[str, JointDrive]) -> None:
        """Let these driven joints track their command with a limited effort from now on.

        They stop at bodies that they touch, even at objects whose motion another model prescribes.

        Args:
            drives: name of a joint among `driven` -> its drive.
        """
        raise Unsupported(f"{self.name} cannot limit the efforts of {', '.join(drives)} in a run")

    def command_efforts(self, efforts: Floats) -> None:
        """Command the efforts [Nm or N] of all driven joints for the next step; only soft joints use theirs."""

    @abstractmethod
    def step(self, *, is_seen: bool = True) -> None:
        """Advance by one period.

        Args:
            is_seen: whether the resulting state will be read; for the last of several steps it always is.

        Raises:
            Diverged: if the state is no longer finite or bodies fly off.
        """

    def stretch(self, motions: Sequence[JointMotion], *, is_seen: bool = True) -> None:
        """Advance by one period for each of the given commands of the driven joints.

        Args:
            motions: the commands; may be empty.
            is_seen: whether the resulting state of the last command will be read.

        Raises:
            Diverged: see `step`.
        """
        for motion in motions:
            self.command_joints(motion.positions, motion.velocities, motion.accelerations)
            self.step(is_seen=is_seen and motion is motions[-1])

    @abstractmethod
    def read_frames(self, out: Floats) -> None:
        """Write the poses and twists of all frames at the current time to `out` (n, 13)."""

    @abstractmethod
    def read_joints(self, positions: Floats, velocities: Floats) -> None:
        """Write the positions [rad or m] and velocities [rad/s or m/s] of all joints to the two arrays."""

    def proximity(self) -> Floats:
        """(n, 12) rows as `Snapshot.proximity`, with indices of frames instead of entities.

        Distances are those at the current time, forces those during the last step.
        """
        return no_rows(PROXIMITY)

    def proximity_when_read(self) -> Callable[[], Floats]:
        """Return a function that computes `proximity` of the current state when it is called.

        It must be called before anything is changed between two steps. After the next step has started, the forces
        are 0 unless the engine has kept them.
        """
        return self.proximity().copy

    def clearances(self, reach: float) -> Floats:
        """(n, 9) rows as `Watch.clearances`, with indices of frames instead of entities, at the current time.

        The rows contain all links of robots that are nearer than `reach` [m] to a static body or to another link of the
        same robot, whether they collide or not. Pairs of links that are excluded by `mujoco.link_pairs` are left out.
        """
        return no_rows(CLEARANCES)

    def take_touches(self) -> Floats:
        """(n, 9) rows as `Watch.touches`, with indices of frames instead of entities, of all steps since the last call.

        The rows contain links of robots that touch free bodies according to the engine's contacts, and static bodies or
        other links according to `clearances`. Recording starts with the first call.
        """
        return no_rows(TOUCHES)

    def expected_efforts(
        self, positions: Floats, velocities: Floats, accelerations: Floats
    ) -> Floats:
        """(n,) efforts [Nm or N] that a motion of the driven joints needs, as if each joint had a drive of its own.

        Computed by inverse dynamics of the robots as described, with gravity and the joints' damping and friction,
        without contacts and loads. NaN for a joint that moves no mass. The simulation is not affected.
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

        The object pushes and carries other free bodies, and no force affects it; existing attachments are removed. A
        pose in the world is extrapolated with its twist; a pose in a parent frame is composed with that frame's motion.
        Call the method again for each new value.

        Raises:
            Unsupported: if the body cannot be made kinematic.
        """

    @abstractmethod
    def hand_back(self, name: str, value: Value) -> None:
        """Hand an object back to the engine with this pose and twist; its attachments are removed.

        If the object penetrates others because the pose has an error, it is not ejected; `take_remarks` reports it.
        """

    @abstractmethod
    def set_collision(self, name: str, on: bool) -> None:
        """Enable or disable all collisions of an object."""

    def set_fidelity(self, names: Iterable[str], level: Fidelity) -> None:
        """Set the level of detail of objects from now on; poses and velocities are preserved to the bit.

        Kinematic and attached objects keep high fidelity until they are handed back or detached.
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

        A beam that hits nothing but the scanner's own link reports the reach, and so do all beams while that link has
        low fidelity.
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
            name: name of a free body.
            wrench: (6,) force [N] and torque about the body's origin [Nm], along the world's axes.
        """
        raise Unsupported(f"{self.name} cannot push {name} with a force")

    def run_belt(self, frame: str, velocity: Vector, turn: Vector = (0.0, 0.0, 0.0)) -> None:
        """Set the surface velocity of a body, for instance of a conveyor.

        Args:
            frame: name of the body's frame.
            velocity: velocity of all its surfaces, in the axes of each geometry [m/s].
            turn: angular velocity of its surfaces about each geometry's centre, for instance of a roller [rad/s].
        """
        raise Unsupported(f"{self.name} cannot move the surface of {frame}")

    def attach(self, name: str, to: str) -> None:
        """Attach an object rigidly to another frame at its current relative pose."""
        raise Unsupported(f"{self.name} cannot attach {name} to {to}")

    def detach(self, name: str) -> None:
        """Undo `attach`."""
        raise Unsupported(f"{self.name} cannot detach {name}")

    def place_static(self, name: str, pose: Floats) -> None:
        """Move a static body to another pose (7,) in the world, between two steps; it stays there.

        Objects that lie on the body or touch it are not moved along.

        Raises:
            Unsupported: if the engine cannot do this, or the world has no such static body.
        """
        raise Unsupported(f"{self.name} cannot move the static body {name}")

    def change_body(
        self,
        name: str,
        *,
        mass: float = 1.0,
        friction: float = 1.0,
        coefficient: float | None = None,
        bounce: float | None = None,
    ) -> None:
        """Change the mass, friction or restitution of a body from now on.

        Args:
            name: name of the body.
            mass: factor on its mass and its inertia.
            friction: factor on the friction coefficients of its surfaces.
            coefficient: new friction coefficient of all its surfaces; None: unchanged.
            bounce: new coefficient of restitution against a rigid surface; None: unchanged.

        Raises:
            Unsupported: if the engine cannot do this, or there is no such body.
        """
        raise Unsupported(f"{self.name} cannot change {name} in a run")

    def save(self) -> object:
        """Return the whole state, for `restore` in the same process."""
        raise Unsupported(f"{self.name} cannot save its state")

    def restore(self, state: object) -> None:
        """Restore a saved state, to the bit."""
        raise Unsupported(f"{self.name} cannot restore a state")

    def record_forces(self) -> Sequence[Floats]:
        """Record the forces that drive the robots from now on, for `roll_out`; the result grows by (k,) per step."""
        raise Unsupported(f"{self.name} cannot record the forces that drive the robots")

    def roll_out(self, forces: Floats) -> None:
        """Compute the continuation of the current state under the forces of another run from this moment, for `leap`.

        Raises:
            Unsupported: if the engine cannot do this, or more than these forces determines the continuation.
        """
        raise Unsupported(f"{self.name} cannot compute states ahead")

    @property
    def computed_ahead(self) -> bool:
        """Whether `roll_out` has computed states for `leap`."""
        return False

    @property
    def settled(self) -> bool:
        """Whether the engine itself has no remarks pending, so that intermediate steps need not be read."""
        return False

    def leap(self, periods: int) -> None:
        """Continue from a state that `roll_out` has computed, this number of periods later.

        Raises:
            Unsupported: if no states have been computed.
        """
        raise Unsupported(f"{self.name} cannot compute states ahead")

    def add(self, body: Body) -> None:
        """Add a body to the running world; `frames` changes."""
        raise Unsupported(f"{self.name} cannot add {body.name} to a running world")

    def remove(self, name: str) -> None:
        """Remove a body from the running world; `frames` changes."""
        raise Unsupported(f"{self.name} cannot remove {name} from a running world")

    def take_remarks(self) -> list[Remark]:
        """Return the remarks since the last call."""
        return []

    @abstractmethod
    def close(self) -> None:
        """Release all resources."""


@dataclass(frozen=True, slots=True)
class EngineKind:
    """An engine of another package; an entry point of the group ``hetwin.engines`` refers to it.

    Attributes:
        make: returns a new engine; raises ImportError if its simulator is not installed.
        release: returns name and release of the simulator without importing it; empty if it is not installed.
    """

    make: Callable[[], Engine]
    release: Callable[[], str]
