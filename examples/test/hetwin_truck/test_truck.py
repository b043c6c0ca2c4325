"""Unloading a truck in the modes of Tallavajhula et al. (2019) of fidelity."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from hetwin_core.ensemble.scene.fidelity import Fidelity
from hetwin_core.ensemble.scene.values import pose_value
from hetwin_truck.actions import Unloader
from hetwin_truck.manager import UPDATE_EVERY, Manager, thresholds_of
from hetwin_truck.packets import LOADS, Load, Packet, draw_load
from hetwin_truck.robot import ACTIVE_JOINTS, plunger_links, plunger_names
from hetwin_truck.site import Site
from hetwin_truck.world import scenario_packets


@pytest.fixture(scope="module")
def load() -> Sequence[Packet]:
    return draw_load(Load(24, 1.2), np.random.default_rng(1))


@pytest.fixture(scope="module")
def site(load: Sequence[Packet]) -> Site:
    return Site(load)


def test_the_scenarios_have_the_papers_numbers_of_packets() -> None:
    counts = {name: len(scenario_packets(name)) for name in LOADS}
    assert counts == {"A": 491, "B": 1007, "C": 539}


@pytest.mark.parametrize("scenario", LOADS)
def test_packets_stand_apart_within_the_trailer(scenario: str) -> None:
    packets = scenario_packets(scenario)
    at, half = np.array([p.at for p in packets]), np.array([p.size for p in packets]) / 2
    assert (np.abs(at[:, 1]) + half[:, 1]).max() < 1.2
    assert (at[:, 2] + half[:, 2]).max() < 2.6
    apart = np.abs(at[:, None] - at[None]) - half[:, None] - half[None]
    touching = (apart < 0).all(axis=2) & ~np.eye(len(packets), dtype=bool)
    assert not touching.any()
    assert {p.name for p in scenario_packets(scenario)} == {p.name for p in packets}


def test_the_robot_has_ten_active_joints_and_four_passive_ones_in_each_plunger(site: Site) -> None:
    assert site.engine.driven == ACTIVE_JOINTS
    passive = [name for name in site.engine.joints if name.startswith("plunger_")]
    assert len(plunger_names()) == 45
    assert len(passive) == 180


@pytest.mark.parametrize("action", ["pick", "sweep"])
def test_an_action_unloads_and_leaves_every_fidelity_as_it_was(site: Site, action: str) -> None:
    unloader = Unloader(site)
    state = site.save()
    outcome = unloader.perform(action, "AdFi-1")
    assert outcome.unloaded
    assert set(outcome.unloaded) == site.unloaded
    names = [site.packets[i].name for i in site.in_truck()]
    links = [link for plunger in plunger_names() for link in plunger_links(plunger)]
    assert {site.engine.fidelity(name) for name in (*names, *links)} == {Fidelity.HIGH}
    assert {site.engine.fidelity(name) for name in site.unloaded} == {Fidelity.LOW}
    again = site.values.copy()
    site.restore(state)
    assert not site.unloaded
    assert unloader.perform(action, "AdFi-1").unloaded == outcome.unloaded
    assert np.array_equal(site.values, again)
    site.restore(state)


def test_packets_far_from_the_robot_are_low_until_it_comes(site: Site) -> None:
    state = site.save()
    manager = Manager(site, thresholds_of("AdFi-3"))
    for _ in range(20 * UPDATE_EVERY):
        manager.step()
        site.step(site.joints)
    assert {site.engine.fidelity(p.name) for p in site.packets} == {Fidelity.LOW}
    front = min(p.at[0] for p in site.packets)
    for share in np.linspace(0, 1, 20 * UPDATE_EVERY):
        manager.step()
        site.step(site.targets(base_drive=-3.0 + share * (front + 1.6)))
    manager.step()
    levels = {site.engine.fidelity(p.name) for p in site.packets}
    assert Fidelity.HIGH in levels
    manager.end()
    site.restore(state)


def test_what_lies_beside_or_behind_the_nose_is_out_of_reach(site: Site) -> None:
    unloader, state = Unloader(site), site.save()
    assert len(unloader.boxes()) == len(site.packets)
    for packet, at in zip(site.packets, [(-3.0, 0.0, 0.2), (1.0, 1.6, 0.2)], strict=False):
        site.engine.hand_back(packet.name, pose_value(at, time_ns=0))
    site.step(site.joints)
    assert len(unloader.boxes()) == len(site.packets) - 2
    site.restore(state)
