"""Gazebo Sim: a physics engine through its Python bindings, and a view of the twin in a running Gazebo.

For example, SDFormat of a red ball that Gazebo can create::

    from xml.etree import ElementTree as ET

    from hetwin_gazebo.sdf_parts import add_colour, add_pose, add_shape
    from hetwin_suite.model import ShapeKind

    visual = ET.Element("visual", name="ball")
    add_pose(visual, (0, 0, 1, 1, 0, 0, 0))
    add_shape(ET.SubElement(visual, "geometry"), ShapeKind.SPHERE, (0.05,))
    add_colour(visual, (1, 0, 0, 1))
    print(ET.tostring(visual, "unicode"))
"""
