"""Fidelity signalers: models that choose the level of detail at which parts of the scene are simulated.

After Tallavajhula et al. (2019), section 3. A `Rule` determines the level of each tree of entities in a group; the
models of this package apply rules, and so may a model of your own that is a `Signaler`.
"""

from hetwin_fidelity.near_robot import MARGIN as MARGIN
from hetwin_fidelity.near_robot import NearRobotRules as NearRobotRules
from hetwin_fidelity.near_robot import Thresholds as Thresholds
from hetwin_fidelity.rules import MODES as MODES
from hetwin_fidelity.rules import During as During
from hetwin_fidelity.rules import Near as Near
from hetwin_fidelity.rules import NearParameters as NearParameters
from hetwin_fidelity.rules import Rule as Rule
from hetwin_fidelity.signalers import NearRobot as NearRobot
from hetwin_fidelity.signalers import NearRobotSettings as NearRobotSettings
from hetwin_fidelity.signalers import Signaler as Signaler
from hetwin_fidelity.trees import Trees as Trees
