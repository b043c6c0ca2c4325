"""What is read back from a film's block is what was filmed, within the steps in which it is kept."""

from __future__ import annotations

import json
import zlib
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hetwin_core.ensemble.scene.values import Floats
from hetwin_suite.view.film.encode import MISSING, QUATERNION_STEPS, UNIT_M, encode
from hetwin_suite.view.film.film import Actor, Body, Change, Film, Happening, Scene

TYPES = {"f8": np.float64, "f4": np.float32, "u1": np.uint8, "u4": np.uint32}


def film(poses: Floats) -> Film:
    count, bodies = poses.shape[:2]
    scene = Scene(
        "made up",
        (Actor("physics", "#888888", True),),
        tuple(Body(f"body_{i}", "object", ()) for i in range(bodies)),
        (),
        (),
    )
    times = np.arange(count) * 0.1
    said = Happening(0.1, "event", "fell", "a < b & c </script>", "body_0")
    return Film(scene, 0.0, 1.0, times, poses, (), (Change(0.1, 0, 0),), (said,))


def opened(block: bytes) -> tuple[dict[str, Any], bytes]:
    """The header, and what lies behind it."""
    content = zlib.decompress(block)
    size = int.from_bytes(content[:4], "little")
    begin = 4 + size + -(4 + size) % 8
    return json.loads(content[4 : 4 + size]), content[begin:]


def array(place: dict[str, Any], data: bytes) -> Any:
    return np.frombuffer(data, TYPES[place["type"]], place["count"], place["offset"])


def steps(place: dict[str, Any], data: bytes, kind: Any, shape: tuple[int, ...]) -> Any:
    """Numbers of which only the differences were kept, their bytes in planes."""
    planes = array(place, data).reshape(np.dtype(kind).itemsize, -1)
    rows = np.ascontiguousarray(planes.T).view(kind).reshape(shape)
    with np.errstate(over="ignore"):
        return np.cumsum(rows, axis=-1, dtype=kind)


@st.composite
def motions(draw: st.DrawFn) -> Floats:
    """(n, bodies, 7) poses, some of them missing, some bodies at rest, with turns by any angle."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    count, bodies = draw(st.integers(1, 12)), draw(st.integers(1, 4))
    poses = np.empty((count, bodies, 7))
    poses[..., :3] = rng.normal(0.0, draw(st.sampled_from([0.001, 1.0, 500.0])), (count, bodies, 3))
    poses[..., 3:] = rng.normal(size=(count, bodies, 4))
    poses[..., 3:] /= np.linalg.norm(poses[..., 3:], axis=-1, keepdims=True)
    for body in range(bodies):
        if draw(st.booleans()):
            poses[:, body] = poses[0, body]
    if draw(st.booleans()) and count > 1:
        poses[draw(st.integers(1, count - 1)), 0] = np.nan
    return poses


@given(motions())
def test_every_pose_is_read_back(poses: Floats) -> None:
    header, data = opened(encode(film(poses)))
    moving = header["moving"]
    still = [body for body in range(poses.shape[1]) if body not in moving]
    standing = array(header["standing"], data).reshape(-1, 7)
    assert np.allclose(standing[still], poses[0, still], rtol=1e-6, atol=1e-6)
    count = len(poses)
    assert np.allclose(array(header["times"], data), np.arange(count) * 0.1)
    positions = steps(header["positions"], data, np.int32, (len(moving), 3, count))
    quaternions = steps(header["quaternions"], data, np.int16, (len(moving), 4, count))
    for row, body in enumerate(moving):
        for time in range(count):
            wanted = poses[time, body]
            found = positions[row, :, time]
            if not np.isfinite(wanted[0]):
                assert (found == MISSING).all()
                continue
            assert np.abs(found * UNIT_M - wanted[:3]).max() <= UNIT_M / 2 + 1e-9
            turned = quaternions[row, :, time] / QUATERNION_STEPS
            assert abs(abs(turned @ wanted[3:]) - 1.0) < 1e-3


def test_words_and_changes_are_kept_as_they_are() -> None:
    header, _ = opened(encode(film(np.zeros((3, 1, 7)))))
    assert header["happenings"][0]["text"] == "a < b & c </script>"
    assert header["changes"] == [[0.1, 0, 0]]
    assert header["moving"] == []
