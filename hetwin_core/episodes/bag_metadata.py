"""What rosbag2 wants to know of a bag: its metadata.yaml, and the quality of service of its topics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import yaml

METADATA = "metadata.yaml"
_VERSION = 9
_ONE_LINE = 10_000
_FOREVER = {"sec": 9223372036, "nsec": 854775807}
_DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
"""That in C, if this PyYAML has them: a tenth of the time."""
_INFORMATION = "rosbag2_bagfile_information"


class BagTopic(NamedTuple):
    """A topic of a bag.

    Attributes:
        digest: hash of its type.
        messages: how many there are.
    """

    name: str
    type: str
    latched: bool
    digest: str
    messages: int


def offered_qos(latched: bool) -> str:
    """The quality of service that a topic is played back with, as MCAP files hold it."""
    return as_yaml(_qos(latched)).strip()


def bag_information(
    file: str, topics: Iterable[BagTopic], first_ns: int, last_ns: int, facts: Mapping[str, str]
) -> dict[str, Any]:
    """What metadata.yaml holds, and a copy in the file itself.

    Args:
        file: name of the bag's only file.
        topics: all of them.
        first_ns: log time of the first message.
        last_ns: log time of the last message.
        facts: about the run.
    """
    rows = [
        {
            "topic_metadata": {
                "name": topic.name,
                "type": topic.type,
                "serialization_format": "cdr",
                "offered_qos_profiles": _qos(topic.latched),
                "type_description_hash": topic.digest,
            },
            "message_count": topic.messages,
        }
        for topic in topics
    ]
    return {
        "version": _VERSION,
        "storage_identifier": "mcap",
        "relative_file_paths": [file],
        **_span(rows, first_ns, last_ns),
        "topics_with_message_count": rows,
        "compression_format": "",
        "compression_mode": "",
        "files": [{"path": file, **_span(rows, first_ns, last_ns)}],
        "custom_data": dict(facts) or None,
        "ros_distro": "rosbags",
    }


def metadata_text(information: Mapping[str, Any]) -> str:
    """The content of metadata.yaml."""
    return as_yaml({_INFORMATION: dict(information)})


def as_yaml(content: object) -> str:
    """YAML as rosbag2 reads it."""
    return str(yaml.dump(content, Dumper=_DUMPER, sort_keys=False, width=_ONE_LINE))


def _span(rows: Sequence[Mapping[str, Any]], first_ns: int, last_ns: int) -> dict[str, Any]:
    return {
        "starting_time": {"nanoseconds_since_epoch": first_ns},
        "duration": {"nanoseconds": max(0, last_ns - first_ns)},
        "message_count": sum(row["message_count"] for row in rows),
    }


def _qos(latched: bool) -> list[dict[str, Any]]:
    return [
        {
            "history": "keep_last",
            "depth": 1 if latched else 1000,
            "reliability": "reliable",
            "durability": "transient_local" if latched else "volatile",
            "deadline": dict(_FOREVER),
            "lifespan": dict(_FOREVER),
            "liveliness": "automatic",
            "liveliness_lease_duration": dict(_FOREVER),
            "avoid_ros_namespace_conventions": False,
        }
    ]
