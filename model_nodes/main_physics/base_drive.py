"""The motion of a robot's base that follows odometry."""

from __future__ import annotations

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scenario.robot import FollowedBase
from hetwin_core.ensemble.scene.poses import extrapolate
from model_nodes.main_physics.engines.engine import Engine, Unsupported
from model_nodes.main_physics.sources.source import BaseMotion, Source
from model_nodes.main_physics.world.description import Body

BASE_CORRECTED = "base_corrected"


class BaseDrive:
    """Moves the base of a robot as the source says.

    Args:
        robot: its base follows.
        base: the topics.
        source: says how; None: there is none.
        period_ns: of the steps [ns].

    Attributes:
        motion: the last one.

    Raises:
        BadInput: if the source does not say how the base moves.
    """

    def __init__(
        self, robot: Body, base: FollowedBase, source: Source | None, period_ns: int
    ) -> None:
        if source is None:
            raise BadInput(
                "nothing moves the base",
                where="robot.base.odometry",
                found=base.odometry,
                expected="a source with this topic, or base: fixed",
            )
        source.bind_base(robot, base, period_ns)
        self._robot, self._source, self._period = robot.name, source, period_ns * 1e-9
        self.motion: BaseMotion

    def place(self, engine: Engine) -> None:
        """Put the base where it is at the start.

        Raises:
            BadInput: if the engine has no such bases.
        """
        self.motion = self._source.base(0)
        try:
            engine.place_base(self._robot, self.motion.state)
        except Unsupported as error:
            raise BadInput(str(error), where="robot.base") from error

    def command(self, engine: Engine, time_ns: int) -> list[Event]:
        """Command the base for the step that ends at a time; returns the event of a correction, if there is one."""
        self.motion = motion = self._source.base(time_ns)
        events = []
        if motion.corrected:
            engine.place_base(self._robot, extrapolate(motion.state, -self._period))
            arguments = {"object": self._robot, "remark": motion.corrected}
            events.append(Event(BASE_CORRECTED, time_ns, arguments=arguments))
        engine.command_bases(motion.state[None])
        return events
