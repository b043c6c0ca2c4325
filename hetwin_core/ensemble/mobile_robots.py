"""Mobile robots and laser scanners: names of their frames and topics, as in Nav2."""

from __future__ import annotations

from dataclasses import dataclass

from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.scans import SCAN, ScanPattern
from hetwin_core.ensemble.scene.values import ODOMETRY, POSE
from hetwin_core.ensemble.topics import ODOMETRY_TOPIC, SCAN_TOPIC, Topic, robot_topic

_ODOM = "odom"
_SCOPE = "::"


@dataclass(frozen=True, slots=True)
class MobileRobot:
    """A robot that reports odometry.

    Attributes:
        name: name of the entity that has the odometry.
        root: name of its root link.
        links: (parent, name) of its other links and of its hands, parents first.
    """

    name: str
    root: str
    links: tuple[tuple[str, str], ...]

    @property
    def odom(self) -> str:
        """Name of the frame of its odometry (REP-105)."""
        return _scoped(self.root, _ODOM)

    @property
    def topic(self) -> Topic:
        """The topic of its odometry."""
        return _topic(ODOMETRY_TOPIC, self.root)


@dataclass(frozen=True, slots=True)
class MountedScanner:
    """A laser scanner on a link.

    Attributes:
        link: the link that it is fixed to.
        pattern: geometry of its scans.
        topic: topic of its scans.
    """

    link: str
    pattern: ScanPattern
    topic: Topic

    @property
    def frame(self) -> str:
        """Name of its frame."""
        return self.pattern.frame_on(self.link)


def mobile_robots(layout: Layout) -> list[MobileRobot]:
    """Return all robots with odometry."""
    parts = layout.of_kind(EntityKind.LINK, EntityKind.HAND)
    found = []
    for robot in layout.of_kind(EntityKind.ROBOT):
        robot_parts = [
            part for part in parts if part.owner == robot.name and layout.has(part.name, POSE.name)
        ]
        roots = [part.name for part in robot_parts if not part.parent]
        if layout.has(robot.name, ODOMETRY.name) and len(roots) == 1:
            links = tuple((part.parent, part.name) for part in robot_parts if part.parent)
            found.append(MobileRobot(robot.name, roots[0], links))
    return found


def mounted_scanners(layout: Layout) -> list[MountedScanner]:
    """Return all laser scanners; a robot's only one has the topic ``scan``, several have ``NAME/scan``."""
    links = [
        (entity, entity.scanner)
        for entity in layout.of_kind(EntityKind.LINK)
        if entity.scanner is not None and layout.has(entity.name, SCAN)
    ]
    owners = [link.owner for link, _ in links]
    return [
        MountedScanner(link.name, pattern, _scan_topic(link, pattern, owners.count(link.owner) > 1))
        for link, pattern in links
    ]


def _scan_topic(link: Entity, pattern: ScanPattern, is_prefixed: bool) -> Topic:
    topic = _topic(SCAN_TOPIC, link.name)
    return (
        topic._replace(name=f"{topic.name[: -len(SCAN)]}{pattern.name}/{SCAN}")
        if is_prefixed
        else topic
    )


def _topic(topic: Topic, link: str) -> Topic:
    """A topic of a robot, in the robot's namespace if its links' names have that prefix."""
    return robot_topic(topic, link.rpartition(_SCOPE)[0])


def _scoped(link: str, name: str) -> str:
    robot, scope, _ = link.rpartition(_SCOPE)
    return f"{robot}{scope}{name}"
