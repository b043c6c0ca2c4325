"""Finds out which plugins of the user's world Gazebo could not load; it only writes a message about each."""

from __future__ import annotations

import re
from pathlib import Path

from model_nodes.main_physics.engines.gz.user_elements import plugins
from model_nodes.main_physics.world.description import World
from model_nodes.main_physics.world.notes import Notes

_IN_THE_SERVER = ("gz::sim", "ignition::gazebo")
"""The server itself reads these: levels and performers."""
_MAPS = Path("/proc/self/maps")


def note_missing(world: World, notes: Notes) -> None:
    """Add a note about each plugin whose library is not in this process.

    The server must have been made. Only Linux lists a process's libraries; elsewhere nothing is noted.
    """
    if not _MAPS.exists():
        return
    lines = _MAPS.read_text("utf-8", errors="replace").splitlines()
    loaded = {_stem(line.rpartition("/")[2]) for line in lines if ".so" in line}
    for place, plugin in plugins(world.all_extras()):
        if plugin.attributes.get("name") in _IN_THE_SERVER:
            continue
        file = plugin.attributes.get("filename", "")
        if _stem(file.rpartition("/")[2]) not in loaded:
            name = plugin.attributes.get("name", "")
            notes.add(
                f"{place}: plugin {name} does nothing, since Gazebo has not found its library {file}"
                " in GZ_SIM_SYSTEM_PLUGIN_PATH"
            )


def _stem(file: str) -> str:
    """Return a library's name without prefix, versions and ending, which differ between releases."""
    name = re.sub(r"\.so[.\d]*$|\.dylib$|\.dll$", "", file.removeprefix("lib"))
    return re.sub(r"^(ignition-gazebo|gz-sim)\d*-", "gz-sim-", name)
