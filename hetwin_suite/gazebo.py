"""Gazebo of the system: its Python bindings, what its messages hold, and bodies as SDFormat.

For example, a red ball that Gazebo can be asked to create::

    from xml.etree import ElementTree as ET

    from hetwin_suite.gazebo import add_colour, add_pose, add_shape
    from hetwin_suite.model import ShapeKind

    visual = ET.Element("visual", name="ball")
    add_pose(visual, (0, 0, 1, 1, 0, 0, 0))
    add_shape(ET.SubElement(visual, "geometry"), ShapeKind.SPHERE, (0.05,))
    add_colour(visual, (1, 0, 0, 1))
    print(ET.tostring(visual, "unicode"))

`gazebo` imports the bindings, whatever the release names them; `transport_node` talks to a Gazebo in another process.
"""

from __future__ import annotations

from model_nodes.main_physics.engines.gz.bindings import Gazebo, gazebo, own_worlds, transport_node
from model_nodes.main_physics.engines.gz.proxies.proxy import Proxy
from model_nodes.main_physics.engines.gz.sdf_parts import (
    add,
    add_colour,
    add_mesh,
    add_pose,
    add_shape,
    numbers,
    write_mesh,
)
from model_nodes.main_physics.engines.gz.server.state import Tree, WorldState, message_of, type_id
from model_nodes.main_physics.world.description import Joint, JointKind
from model_nodes.main_physics.world.urdf.reader import moving_joints

__all__ = [
    "Gazebo",
    "Joint",
    "JointKind",
    "Proxy",
    "Tree",
    "WorldState",
    "add",
    "add_colour",
    "add_mesh",
    "add_pose",
    "add_shape",
    "gazebo",
    "message_of",
    "moving_joints",
    "numbers",
    "own_worlds",
    "transport_node",
    "type_id",
    "write_mesh",
]
