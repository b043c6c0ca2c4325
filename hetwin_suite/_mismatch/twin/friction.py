"""Friction that is higher or lower than the real one."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from hetwin_suite._mismatch.axis import TwinAxis
from hetwin_suite._mismatch.facts import EpisodeFacts
from hetwin_suite._mismatch.twin_files import TwinFiles, scale
from model_nodes.main_physics.engines.mujoco.builder import DEFAULT_FRICTION


class Friction(TwinAxis):
    """The friction between fingers and object is higher in the twin by a factor.

    Engines combine the coefficients of two bodies by the larger or by the smaller one, so that both are changed.
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
        given = {mark.get("reference"): mark for mark in twin.robot.findall("gazebo")}
        for link in twin.links_moved_by(episode.closing):
            mark = given.get(link.get("name"))
            if mark is None:
                mark = ET.SubElement(twin.robot, "gazebo", reference=link.get("name", ""))
            for name in ("mu1", "mu2"):
                element = mark.find(name)
                if element is None:
                    element = ET.SubElement(mark, name)
                    element.text = repr(DEFAULT_FRICTION)
                scale([element], level)
