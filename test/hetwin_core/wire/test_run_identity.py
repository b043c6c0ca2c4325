"""A run is the only one in its namespace of its domain, and refuses what is meant for another one."""

from __future__ import annotations

import pytest
from support.ros_domains import new_domain

from hetwin_core.ensemble.errors import BadInput, Refused
from hetwin_core.wire.run_identity import Claim, domain_id, new_token, refuse_foreign


def test_a_second_run_in_the_same_namespace_is_told_what_to_do() -> None:
    domain = new_domain()
    with Claim("left", "r1", domain), pytest.raises(BadInput) as refused:
        Claim("/left/", "r2", domain)
    text = str(refused.value)
    assert "another run, r1 (process " in text
    assert f"the namespace '/left' of ROS domain {domain}" in text
    assert "--namespace NAME" in text
    assert "ROS_DOMAIN_ID" in text
    assert "Nothing was started" in text
    Claim("left", "r2", domain).close()  # the first is over


def test_other_namespaces_and_domains_are_free() -> None:
    domain, other = new_domain(), new_domain()
    with Claim("", "r1", domain), Claim("left", "r2", domain), Claim("", "r3", other):
        assert Claim.is_held("/", "r1", domain)
        assert Claim.is_held("/left", "r2", domain)
        assert not Claim.is_held("/left", "r1", domain)
        assert not Claim.is_held("/", "r1", other)
    assert not Claim.is_held("/", "r1", domain)


def test_namespaces_that_are_long_and_begin_alike_are_two() -> None:
    domain = new_domain()
    space = "/".join(["a_long_name_of_a_robot"] * 8)
    with Claim(f"{space}/left", "r1", domain), Claim(f"{space}/right", "r2", domain):
        with pytest.raises(BadInput, match="r2"):
            Claim(f"{space}/right", "r3", domain)
        assert Claim.is_held(f"{space}/left", "r1", domain)


def test_who_draws_a_token_that_is_in_use_gets_nothing() -> None:
    domain = new_domain()
    with Claim("", "r1", domain):
        with pytest.raises(BadInput):
            Claim("", "r1", domain)
        assert Claim.is_held("", "r1", domain)


def test_the_domain_is_that_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", " 7 ")
    assert domain_id() == 7
    monkeypatch.setenv("ROS_DOMAIN_ID", "seven")
    with pytest.raises(BadInput, match="ROS_DOMAIN_ID: this is not a ROS domain; found 'seven'"):
        domain_id()


def test_a_foreign_request_is_refused_in_words_that_name_both() -> None:
    refuse_foreign("", "r1", "the call", "the node")
    refuse_foreign("r1", "r1", "the call", "the node")
    refuse_foreign("r1", "", "the call", "the node")
    with pytest.raises(
        Refused, match=r"^the call is for run r2; the node of hand belongs to run r1$"
    ):
        refuse_foreign("r2", "r1", "the call", "the node of hand")


def test_tokens_differ_and_are_no_numbers() -> None:
    tokens = {new_token() for _ in range(1000)}
    assert len(tokens) == 1000
    assert all(len(token) == 9 and token.startswith("r") for token in tokens)
