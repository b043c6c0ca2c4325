"""A fluid in a cup, as particles: the model, and the tool that fills a cup with particles."""

from hetwin_fluid.balls import Kind as Kind
from hetwin_fluid.balls import Substance as Substance
from hetwin_fluid.cup import Cup as Cup
from hetwin_fluid.filling import settled_in as settled_in
from hetwin_fluid.model import FluidInCup as FluidInCup
