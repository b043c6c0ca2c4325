"""The library of the expression language, imported without its command line.

The package imports its own command line too, with terminal libraries that take several times as long to import as
the language itself. This would delay every process that reads a scenario.
"""

from __future__ import annotations

import sys
from types import ModuleType

_COMMAND_LINE = "cel.cli"

_is_absent = _COMMAND_LINE not in sys.modules
if _is_absent:
    sys.modules[_COMMAND_LINE] = ModuleType(_COMMAND_LINE)
try:
    import cel
finally:
    if _is_absent:
        del sys.modules[_COMMAND_LINE]

__all__ = ["cel"]
