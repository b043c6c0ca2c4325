"""What the benchmark of choosing actions simulates, keeps and learns."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pick_or_sweep
import pytest

from hetwin_truck.choice import Example


class Simulator:
    """Stands for the truck: pick is better where the first feature is above 0; a state costs 10 s."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, tuple[int, ...]]] = []

    def __call__(self, mode: str, seed: tuple[int, ...], states: int) -> list[Example]:
        self.asked.append((mode, seed))
        random = np.random.default_rng(seed)
        features = random.normal(size=(states, 3))
        return [Example(tuple(f), int(f[0] > 0), int(f[0] <= 0), 10.0) for f in features.tolist()]


@pytest.fixture
def simulator(monkeypatch: pytest.MonkeyPatch) -> Simulator:
    made = Simulator()
    monkeypatch.setattr(pick_or_sweep, "episode", made)
    return made


def test_what_has_been_simulated_is_not_simulated_again(
    simulator: Simulator, tmp_path: Path
) -> None:
    first = pick_or_sweep.Store(tmp_path, 4).within("HiFi", 0, 65.0)
    assert len(first) == 6
    assert simulator.asked == [("HiFi", (0, 0)), ("HiFi", (0, 1))]
    assert pick_or_sweep.Store(tmp_path, 4).within("HiFi", 0, 65.0) == first
    assert len(simulator.asked) == 2


def test_only_what_is_stored_is_used_if_one_says_so(simulator: Simulator, tmp_path: Path) -> None:
    pick_or_sweep.Store(tmp_path, 4).tests(5)
    stored = pick_or_sweep.Store(tmp_path, 4, stored=True)
    assert len(stored.tests(100)) == 8
    assert stored.within("AdFi-1", 0, 65.0) == []
    assert len(simulator.asked) == 2


def test_the_choice_is_learnt() -> None:
    pytest.importorskip("sklearn", reason="the extra `benchmarks` is not installed")
    simulator = Simulator()
    known, asked = simulator("AdFi-1", (0, 0), 200), simulator("HiFi", (1, 0), 200)
    learnt, right = pick_or_sweep.accuracies(known, asked, 0)
    assert learnt > 0.95
    assert right > 0.9
    assert pick_or_sweep.accuracies([known[0]], asked, 0)[0] == 1.0


def test_too_few_states_are_told(
    simulator: Simulator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("sklearn", reason="the extra `benchmarks` is not installed")
    assert pick_or_sweep.main(["--stored", "--keep", str(tmp_path)]) == 1
    assert "without --stored" in capsys.readouterr().err
