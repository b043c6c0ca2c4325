"""Episodes: read and query them, and write recordings of your own robot.

A run leaves an episode in its folder::

    import hetwin_suite
    from hetwin_suite.episode import at, on, open_episode

    summary = hetwin_suite.run("pick_and_place", duration=0.2)
    episode = open_episode(summary.folder)
    print(episode.holds(on("box", "table"), at(0.1)), len(episode.events))

A recording is a rosbag2 of a robot's messages; `write_bag` writes one from sensor readings and announcements.
A labelled episode consists of a recording, the poses that the robot believed, and the truth (`write_episode`);
`record_episodes` writes many of them in parallel.
"""

from __future__ import annotations

from hetwin_core.ensemble.resources import file_digest
from hetwin_core.ensemble.scenario.recorded import (
    RECORDING,
    SCENE,
    believed_scene,
    is_episode,
    recording_of,
    scenario_of,
)
from hetwin_core.ensemble.topics import ANNOTATIONS, JOINT_STATES, PREDICTIONS, Encoded, Topic
from hetwin_core.episodes.asking.answer import Answer, NotKnown
from hetwin_core.episodes.asking.terms import (
    ANY,
    Atom,
    Term,
    Variable,
    attached,
    connected,
    contact,
    event,
    fluent,
    held,
    in_container,
    loc,
    moving,
    on,
    state,
    supporting,
    visible,
)
from hetwin_core.episodes.asking.times import END, START, When, at, during, throughout
from hetwin_core.episodes.bag import joint_state, recording_writer, write_recording
from hetwin_core.episodes.derived import Annotation, pair_annotations
from hetwin_core.episodes.episode import Episode, open_episode
from hetwin_core.episodes.flaws.find import flaws_of
from hetwin_core.episodes.labelled import (
    LABEL,
    TRUTH,
    LabelledRecording,
    both_labels,
    find_labelled,
    read_labelled,
    write_episode,
)
from hetwin_core.episodes.messages import header, nanoseconds, pose_message
from hetwin_core.episodes.run_folder import (
    EXPLANATION,
    FORECAST,
    LOG,
    folder_of,
    new_run_folder,
    read_summary,
)
from hetwin_core.episodes.run_messages import encoded
from hetwin_suite._robots.bag import write_bag
from hetwin_suite._robots.takes import (
    DISTRIBUTION,
    Summary,
    Take,
    counts,
    named_generator,
    record_episodes,
)
from hetwin_suite._robots.telling import ProgramMessages
from model_nodes.main_physics.sources.bag import Bag, ReadFault, TopicSummary, list_topics
from model_nodes.main_physics.sources.bag_types import known_types
from model_nodes.main_physics.sources.datasets import Episode as DatasetEpisode
from model_nodes.main_physics.sources.joint_series import Series
from model_nodes.main_physics.sources.recorded_motion import read_motion

__all__ = [
    "ANNOTATIONS",
    "ANY",
    "DISTRIBUTION",
    "END",
    "EXPLANATION",
    "FORECAST",
    "JOINT_STATES",
    "LABEL",
    "LOG",
    "PREDICTIONS",
    "RECORDING",
    "SCENE",
    "START",
    "TRUTH",
    "Annotation",
    "Answer",
    "Atom",
    "Bag",
    "DatasetEpisode",
    "Encoded",
    "Episode",
    "LabelledRecording",
    "NotKnown",
    "ProgramMessages",
    "ReadFault",
    "Series",
    "Summary",
    "Take",
    "Term",
    "Topic",
    "TopicSummary",
    "Variable",
    "When",
    "at",
    "attached",
    "believed_scene",
    "both_labels",
    "connected",
    "contact",
    "counts",
    "during",
    "encoded",
    "event",
    "file_digest",
    "find_labelled",
    "flaws_of",
    "fluent",
    "folder_of",
    "header",
    "held",
    "in_container",
    "is_episode",
    "joint_state",
    "known_types",
    "list_topics",
    "loc",
    "moving",
    "named_generator",
    "nanoseconds",
    "new_run_folder",
    "on",
    "open_episode",
    "pair_annotations",
    "pose_message",
    "read_labelled",
    "read_motion",
    "read_summary",
    "record_episodes",
    "recording_of",
    "recording_writer",
    "scenario_of",
    "state",
    "supporting",
    "throughout",
    "visible",
    "write_bag",
    "write_episode",
    "write_recording",
]
