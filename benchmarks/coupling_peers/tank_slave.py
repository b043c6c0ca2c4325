"""The trivial model as an FMU's slave: without a source connected it counts up."""

from typing import Any

from pythonfmu import Fmi2Causality, Fmi2Slave, Real


class TankSlave(Fmi2Slave):
    """A level that counts up, or follows the source."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.follows = 0.0
        self.source = 0.0
        self.level = 0.0
        self.register_variable(Real("follows", causality=Fmi2Causality.input))
        self.register_variable(Real("source", causality=Fmi2Causality.input))
        self.register_variable(Real("level", causality=Fmi2Causality.output))

    def do_step(self, current_time: float, step_size: float) -> bool:
        """One step."""
        if self.follows:
            self.level += 0.1 * (self.source - self.level)
        else:
            self.level += 1.0
        return True
