"""A film keeps enough of a run's states, all at which something happened, and who was responsible."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.made_episode import with_fields

from hetwin_core.episodes.episode import Episode
from hetwin_suite.view.film import from_episode
from hetwin_suite.view.film.from_episode import film_of


@pytest.fixture(scope="module")
def episode(small_run: Any) -> Episode:
    return Episode.open(small_run.out)


def test_every_kept_pose_is_that_of_the_log(episode: Episode) -> None:
    film = film_of(episode)
    indices = np.searchsorted(episode.seconds, film.times)
    assert np.array_equal(episode.seconds[indices], film.times)
    for i, body in enumerate(film.scene.bodies):
        if episode.layout.has(body.name, "pose"):
            logged = episode.pose(body.name)[indices]
            assert np.array_equal(film.poses[:, i, :3], logged[:, :3])
            assert np.array_equal(film.poses[:, i, 3:], logged[:, [4, 5, 6, 3]])


def test_states_before_and_at_what_happened_are_kept(episode: Episode) -> None:
    kept = set(film_of(episode).times.tolist())
    moments = [event.time_ns for event in episode.events]
    moments += [handover.time_ns for handover in episode.handovers]
    assert moments
    for moment in moments:
        index = episode.index_at(moment)
        assert {episode.seconds[index], episode.seconds[max(0, index - 1)]} <= kept


def test_owners_and_changes_give_the_owners_of_all_states(episode: Episode) -> None:
    film = film_of(episode)
    owners = np.array(film.owners)
    changes = list(film.changes)
    for time in film.times:
        while changes and changes[0].time <= time:
            change = changes.pop(0)
            owners[change.attribute] = change.model
        index = int(np.searchsorted(episode.seconds, time))
        assert np.array_equal(owners, episode.owners[index])


def test_asked_times_are_kept_too(episode: Episode) -> None:
    without = set(film_of(episode).times.tolist())
    asked = next(t for t, s in zip(episode.times, episode.seconds, strict=True) if s not in without)
    assert asked / 1e9 in film_of(episode, [int(asked)]).times


def test_a_long_run_keeps_fewer_states_and_its_last(
    episode: Episode, monkeypatch: pytest.MonkeyPatch
) -> None:
    quiet = with_fields(episode, events=(), handovers=())
    whole = film_of(quiet)
    monkeypatch.setattr(from_episode, "_MAX_POSES", len(whole.times) * len(whole.scene.bodies) // 3)
    fewer = film_of(quiet)
    assert len(fewer.times) < 0.6 * len(whole.times)
    assert fewer.times[-1] == quiet.seconds[-1]
