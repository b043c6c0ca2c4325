"""The small interface that the main model drives a physics engine through."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from hetwin_core.ensemble.errors import HetwinError
from hetwin_core.ensemble.scene.fidelity import Fidelity
from hetwin_core.ensemble.scene.snapshot import no_proximity
from hetwin_core.ensemble.scene.values import Floats, Value
from model_nodes.main_physics.world.description import Body, Vector, World

EVERYTHING_NEAR = 32
"""With up to this many objects, proximity is told of all unless the settings name some."""


class Unsupported(HetwinError):
    """An engine cannot do what is asked of it."""


class Diverged(HetwinError):
    """The simulation has left all sense; the text names the body."""


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """What an engine needs to know beside the world.

    Attributes:
        period: simulated time of one `step` [s].
        substeps: equal parts that the engine divides it into.
        proximity_range: pairs closer than this are told of [m].
        proximity_objects: names of the objects; None: all, if they are at most `EVERYTHING_NEAR`.
        contact_time: time constant in which overlaps of bodies in contact decay [s]; None: the engine's.
        options: the engine's own, by name.
    """

    period: float
    substeps: int = 1
    proximity_range: float = 0.02
    proximity_objects: tuple[str, ...] | None = None
    contact_time: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Remark:
    """Something the engine did about an object and another body, in words."""

    name: str
    other: str
    text: str


NOTHING_SEEN = -1.0
"""In place of a frame's index where a beam meets nothing."""


@dataclass(frozen=True, slots=True)
class Beam:
    """A range sensor on a link of a robot.

    Attributes:
        frame: the link.
        at: where the beam begins, in the link's frame [m].
        along: unit vector in the link's frame.
        reach: how far it sees [m].
    """

    frame: str
    at: Vector
    along: Vector
    reach: float


class Engine(ABC):
    """A world of bodies that moves on in steps of one period.

    Poses are (13,) arrays as in `scene.values`, in the world frame unless said otherwise. Frames are the
    roots of all bodies, the links of robots and of articulated models, and the hands; their names are those
    of `names.frame_name`. All methods but `load` need a loaded world.

    Methods that an engine has no sound way for raise `Unsupported`.
    """

    name: ClassVar[str]
    deterministic: ClassVar[bool]
    """Whether the same input gives the same bits, in any process."""

    @property
    def words(self) -> str:
        """What the engine is, for the log."""
        return self.name

    @abstractmethod
    def load(self, world: World, settings: EngineSettings) -> tuple[str, ...]:
        """Load a world at rest, with all joints at zero; answers remarks for the user.

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
        """Put all joints where they start, before the first step; rad or m, and per second."""

    @abstractmethod
    def command_joints(self, positions: Floats, velocities: Floats, accelerations: Floats) -> None:
        """Where the driven joints shall be at the end of the next step, and how they move there.

        The joints follow within 1e-3 rad or m, whatever they push.
        """

    @abstractmethod
    def step(self) -> None:
        """Go on by one period.

        Raises:
            Diverged: if the state is no longer finite or bodies fly off.
        """

    @abstractmethod
    def read_frames(self, out: Floats) -> None:
        """Write the poses and twists of all frames, consistent at the current time, to `out` (n, 13)."""

    @abstractmethod
    def read_joints(self, positions: Floats, velocities: Floats) -> None:
        """Write the positions and velocities of all joints."""

    def proximity(self) -> Floats:
        """(n, 12) rows as `Snapshot.proximity`, with indices of frames instead of entities.

        Distances belong to the current time; forces acted during the last step.
        """
        return no_proximity()

    @abstractmethod
    def contacts(self) -> Floats:
        """(n, 11) contacts of the last step.

        Columns: frame, other frame, distance [m] (negative inside), point x y z, normal x y z from the other
        to the frame, normal force [N], friction force [N].
        """

    @abstractmethod
    def follow(self, name: str, value: Value) -> None:
        """From now on an object moves as another model says.

        It pushes and carries other free bodies, and feels nothing; what it was attached to it leaves. A pose
        in the world is extrapolated with its twist; a pose in a parent frame is recomposed with that frame's
        motion. Called again whenever there is a newer value.

        Raises:
            Unsupported: if the body cannot be led like this.
        """

    @abstractmethod
    def hand_back(self, name: str, value: Value) -> None:
        """The engine moves the object again, from this pose and twist on; it is attached to nothing any more.

        Where the object overlaps others by the pose's error it is not shot out; `take_remarks` says so.
        """

    @abstractmethod
    def set_collision(self, name: str, on: bool) -> None:
        """Whether an object touches anything."""

    def set_fidelity(self, names: Iterable[str], level: Fidelity) -> None:
        """Simulate objects in more or less detail from now on; poses and velocities survive, to the bit.

        Objects that another model leads or that are attached stay high until that ends.
        """
        raise Unsupported(f"{self.name} cannot lower the fidelity of {', '.join(names)}")

    def fidelity(self, name: str) -> Fidelity:
        """In how much detail an object is simulated now."""
        return Fidelity.HIGH

    def look(self, beams: Sequence[Beam]) -> Floats:
        """What range sensors see now: (n, 2) distance [m] and index of the frame.

        A beam that meets nothing, or whose link has a low fidelity, tells its reach and `NOTHING_SEEN`.
        """
        raise Unsupported(f"{self.name} has no range sensors")

    def push(self, name: str, wrench: Floats) -> None:
        """From now on a force and a torque act on an object, until they are changed.

        Args:
            name: of a free body.
            wrench: (6,) force [N] and torque about the body's origin [Nm], along the world's axes.
        """
        raise Unsupported(f"{self.name} cannot push {name} with a force")

    def run_belt(self, frame: str, velocity: Vector, turn: Vector = (0.0, 0.0, 0.0)) -> None:
        """From now on the surface of a body moves, as a conveyor's does.

        Args:
            frame: the body.
            velocity: of all its surfaces, in the axes of each of its forms [m/s].
            turn: angular velocity of its surfaces about each form's middle, as of a roller [rad/s].
        """
        raise Unsupported(f"{self.name} cannot move the surface of {frame}")

    def attach(self, name: str, to: str) -> None:
        """Fix an object rigidly to another frame, where it is."""
        raise Unsupported(f"{self.name} cannot attach {name} to {to}")

    def detach(self, name: str) -> None:
        """Undo `attach`."""
        raise Unsupported(f"{self.name} cannot detach {name}")

    def save(self) -> object:
        """The whole state, for `restore` in the same process."""
        raise Unsupported(f"{self.name} cannot save its state")

    def restore(self, state: object) -> None:
        """Go back to a saved state, to the bit."""
        raise Unsupported(f"{self.name} cannot restore a state")

    def add(self, body: Body) -> None:
        """Add a body to the running world; `frames` changes."""
        raise Unsupported(f"{self.name} cannot add {body.name} to a running world")

    def remove(self, name: str) -> None:
        """Remove a body from the running world; `frames` changes."""
        raise Unsupported(f"{self.name} cannot remove {name} from a running world")

    def take_remarks(self) -> list[Remark]:
        """What has been worth telling since the last call."""
        return []

    @abstractmethod
    def close(self) -> None:
        """Let go of everything."""
