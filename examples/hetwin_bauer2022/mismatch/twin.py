"""Axes of mismatch that change the twin's world and robot."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from hetwin_bauer2022.mismatch.axis import TwinAxis
from hetwin_bauer2022.mismatch.facts import EpisodeFacts
from hetwin_bauer2022.mismatch.twin_files import TwinFiles, scale, scale_attribute, scale_position
from hetwin_suite.engine import DEFAULT_FRICTION


class ObjectSize(TwinAxis):
    """The held part of the object is scaled by a factor in the twin, at the same mass."""

    name = "object_size"
    unit = "factor"
    none = 1.0
    levels = (0.95, 0.98, 1.0, 1.02, 1.05)
    lowest, highest = 0.5, 2.0
    hardware = (0.991, 1.039)
    source = (
        "tennis balls have 65.41 to 68.58 mm, hetwin's has 66 mm (International Tennis "
        "Federation, Rules of Tennis, Appendix I)"
    )
    summary = "the twin's object is larger by this factor; in insertions the radius of the handle"

    def change(self, twin: TwinFiles, level: float, episode: EpisodeFacts) -> None:
        """Scale all sizes of the object; if the fingers hold one part of it, only the radius of that part."""
        for shape in twin.shapes(episode.thing, episode.held_part):
            if episode.held_part:
                scale(shape.iterfind("geometry//radius"), level)
                continue
            for size in ("radius", "length", "size"):
                scale(shape.iterfind(f"geometry//{size}"), level)
            scale_position(shape.find("pose"), level)
        if not episode.held_part:
            scale(twin.model(episode.thing).iterfind("link/inertial/inertia/*"), level**2)


class FingerThickness(TwinAxis):
    """The fingers of the twin's hands are thicker by a factor, at the same length and mass."""

    name = "finger_thickness"
    unit = "factor"
    none = 1.0
    levels = (0.9, 0.95, 1.0, 1.05, 1.1)
    lowest, highest = 0.2, 3.0
    source = "no measured figure was found"
    summary = "the radii of the twin's fingers are larger by this factor"

    def change(self, twin: TwinFiles, level: float, episode: EpisodeFacts) -> None:
        """Scale the radii of all shapes of the links that the finger joints move."""
        for link in twin.links_moved_by(episode.closing):
            for shape in ("cylinder", "sphere", "capsule"):
                scale_attribute(link.iterfind(f".//{shape}"), "radius", level)


class Friction(TwinAxis):
    """The friction between fingers and object is scaled by a factor in the twin.

    Engines combine the coefficients of two bodies by their maximum or minimum, so both are scaled.
    """

    name = "friction"
    unit = "factor"
    none = 1.0
    levels = (0.25, 0.5, 1.0, 1.5, 2.0)
    lowest, highest = 0.0, 100.0
    source = "no measurement of rubber fingertips on the felt of a ball was found"
    summary = "the friction of the twin's object and fingers is higher by this factor"

    def change(self, twin: TwinFiles, level: float, episode: EpisodeFacts) -> None:
        """Scale the coefficients of the object and of the links that the finger joints move."""
        model = twin.model(episode.thing)
        for name in ("mu", "mu2"):
            scale(model.iterfind(f".//surface/friction/ode/{name}"), level)
        surfaces = {surface.get("reference"): surface for surface in twin.robot.findall("gazebo")}
        for link in twin.links_moved_by(episode.closing):
            surface = surfaces.get(link.get("name"))
            if surface is None:
                surface = ET.SubElement(twin.robot, "gazebo", reference=link.get("name", ""))
            for name in ("mu1", "mu2"):
                element = surface.find(name)
                if element is None:
                    element = ET.SubElement(surface, name)
                    element.text = repr(DEFAULT_FRICTION)
                scale([element], level)


class Mass(TwinAxis):
    """The twin's object is heavier by a factor, at the same size."""

    name = "mass"
    unit = "factor"
    none = 1.0
    levels = (0.5, 0.8, 1.0, 1.25, 2.0)
    lowest, highest = 0.01, 100.0
    hardware = (0.966, 1.024)
    source = (
        "tennis balls have 56.0 to 59.4 g, hetwin's has 58 g (International Tennis Federation, "
        "Rules of Tennis, Appendix I)"
    )
    summary = "the twin's object is heavier by this factor"

    def change(self, twin: TwinFiles, level: float, episode: EpisodeFacts) -> None:
        """Scale mass and moments of inertia of the object."""
        model = twin.model(episode.thing)
        scale(model.iterfind("link/inertial/mass"), level)
        scale(model.iterfind("link/inertial/inertia/*"), level)
