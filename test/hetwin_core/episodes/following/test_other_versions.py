"""Logs of other versions, whose messages have other fields."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
from rosbags.typesys import get_types_from_msg
from support.touching_run import STEP_NS, TouchingRun

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.resources import resource
from hetwin_core.ensemble.scene.layout_json import layout_to_json
from hetwin_core.ensemble.topics import REGISTRY, STATE
from hetwin_core.episodes.messages import LazyTypestore, message, stamp, typestore
from hetwin_core.episodes.tables.open import open_tables

STATES = 50


def _store(definition: str) -> Any:
    """The usual types, with another definition of the state."""
    store = LazyTypestore()
    ours = typestore().fielddefs
    store.register({name: kind for name, kind in ours.items() if name != STATE.type})
    store.register(get_types_from_msg(definition, STATE.type))
    return store


def _write(run: TouchingRun, definition: str, **more: object) -> Path:
    store = _store(definition)
    run.out.mkdir()
    writer = Writer(run.out / "log", version=9, storage_plugin=StoragePlugin.MCAP)
    writer.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)
    with writer:
        registry, state = (
            writer.add_connection(topic.logged_name, topic.type, typestore=store)
            for topic in (REGISTRY, STATE)
        )
        layout = json.dumps(layout_to_json(run.layout))
        known = message(
            REGISTRY.type,
            stamp=stamp(0),
            scenario="old",
            models=[],
            layout=layout,
            source="",
            duration=0.0,
            able="",
            run="",
        )
        writer.write(registry, 0, store.serialize_cdr(known, REGISTRY.type))
        for step in range(STATES):
            scene = run.scene(step)
            fields = {
                "stamp": stamp(scene.time_ns),
                "step": step,
                "values": scene.values,
                "owners": scene.owners,
                "parents": scene.parents,
                "proximity": scene.proximity.reshape(-1),
                **more,
            }
            kept = {name: fields[name] for name, _ in store.fielddefs[STATE.type][1]}
            content = store.types[STATE.type](**kept)
            writer.write(state, scene.time_ns, store.serialize_cdr(content, STATE.type))
    return run.out


def test_states_with_other_fields_are_read_by_the_logs_definition(tmp_path: Path) -> None:
    text = (resource("msg") / "SceneState.msg").read_text(encoding="utf-8")
    run = TouchingRun(tmp_path / "run")
    tables = open_tables(_write(run, f"string remark\n{text}", remark="of another time"))
    assert tables.known_until_ns == (STATES - 1) * STEP_NS
    (contact,) = tables.occasions.find("contact", "box", "table")
    assert contact.span == (0, tables.known_until_ns)
    scene = tables.poses.snapshot(tables.known_until_ns)
    np.testing.assert_array_equal(scene.values, run.scene(STATES - 1).values)


def test_a_log_without_what_is_needed_is_refused_by_name(tmp_path: Path) -> None:
    text = (resource("msg") / "SceneState.msg").read_text(encoding="utf-8")
    older = "\n".join(line for line in text.splitlines() if " proximity" not in line)
    run = _write(TouchingRun(tmp_path / "run"), older)
    with pytest.raises(BadInput, match=r"another version of hetwin: .*proximity.*run the scenario"):
        open_tables(run)
