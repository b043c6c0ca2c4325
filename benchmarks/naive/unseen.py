"""Where nobody saw whether something holds, read off what the run says that it checks."""

from __future__ import annotations

from naive.world import World

FLUENT_CLAIMS = {
    "held": ("grip", 1),
    "on": ("support", 0),
    "borne_by": ("support", 0),
    "connected": ("connection", 0),
    "in_container": ("container", 0),
    "dropped": ("drop", 0),
}
EVENT_CLAIMS = {
    **dict.fromkeys(("picked_up", "pick_up", "grasped", "released", "lost"), ("grip", 1)),
    **dict.fromkeys(("fell", "toppled", "dropped"), ("drop", 0)),
    **dict.fromkeys(("put_down", "set_down"), ("support", 0)),
}
Span = tuple[int, int]


class Unseen:
    """Reads events of coverage.

    Args:
        world: what held.
    """

    def __init__(self, world: World) -> None:
        self._world, self._log = world, world.log
        self._has_rows = any(len(rows) for rows in world.log.near)

    def recorded(self, fluent: str) -> bool:
        """Whether the log can know a fluent at all."""
        if fluent in ("contact", "on", "borne_by", "attached"):
            return self._has_rows
        return (
            fluent in ("moving", "loc")
            or self._world.holds(fluent, *self._pair(fluent)) is not None
        )

    def _pair(self, fluent: str) -> tuple[str, str]:
        hands = self._log.of_kind("hand")
        return self._world.objects[0], hands[0] if hands and fluent in ("held", "dropped") else ""

    def of(self, fluent: str, first: str, second: str) -> list[Span]:
        """When a fluent of entities was not seen; an empty name stands for any."""
        if fluent in ("contact", "attached"):
            return self._bare((first, second))
        if fluent in ("on", "borne_by") and self._world.kinds[first] not in ("object", "static"):
            return [(self._log.start, self._log.end + 1)]
        if fluent not in FLUENT_CLAIMS:
            return []
        claim, place = FLUENT_CLAIMS[fluent]
        return self._unchecked(claim, (first, second)[place])

    def event_missed(self, event: str, first: str, begin: int, end: int) -> bool:
        """Whether an event may have happened in an interval that nobody saw."""
        if event.startswith("collision"):
            blind = self._bare((first, ""))
        elif event in EVENT_CLAIMS:
            claim, place = EVENT_CLAIMS[event]
            blind = self._unchecked(claim, (first, "")[place])
        else:
            return False
        return any(f <= end and begin < t for f, t in blind)

    def _said(self, claim: str) -> dict[str, list[tuple[int, dict[str, object]]]]:
        found: dict[str, list[tuple[int, dict[str, object]]]] = {}
        for event in self._log.events:
            said = event["arguments"]
            is_coverage = event["name"] == "coverage" and event["source"] == "robot_health"
            if is_coverage and said["claim"] == claim:
                found.setdefault(said["subject"], []).append((event["time"], said))
        return found

    def _spans(
        self, said: list[tuple[int, dict[str, object]]]
    ) -> list[tuple[Span, dict[str, object]]]:
        """Each thing said with the time that it is true of: the first from the beginning."""
        ordered = sorted(said, key=lambda entry: entry[0])
        begins = [self._log.start, *(time for time, _ in ordered[1:])]
        ends = [*begins[1:], self._log.end + 1]
        return [
            (span, one)
            for span, (_, one) in zip(zip(begins, ends, strict=True), ordered, strict=True)
        ]

    def _unchecked(self, claim: str, subject: str) -> list[Span]:
        return [
            span
            for name, said in self._said(claim).items()
            if not subject or name == subject
            for span, one in self._spans(said)
            if not one["checked"]
        ]

    def _bare(self, names: tuple[str, str]) -> list[Span]:
        """When links without shapes may have touched something."""
        found = []
        for robot, said in self._said("touch").items():
            links = {
                n
                for n, e in self._world.entities.items()
                if e["kind"] == "link" and e["owner"] == robot
            }
            for span, one in self._spans(said):
                bare = links - set(one["of"])  # type: ignore[call-overload]
                meant = any(not n or bare & set(self._world.links_of(n)) for n in names)
                if not one["checked"] and meant:
                    found.append(span)
        return found
