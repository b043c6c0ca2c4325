"""What is called between two steps, and what it may do to the run."""

import os

from support.small_ensemble import HEADER, Recorder, conduct, run

TELLING = HEADER.replace("until: 0.2", "until: 0.2, actions: [{at: 0.05, name: reach}]")


def test_called_at_every_barrier_but_the_last_with_what_has_happened():
    conductor, _, record = conduct(TELLING)
    seen = []
    conductor.at_barriers(lambda now: seen.append((now.time_ns, [e.name for e in now.events])))
    conductor.run()
    assert [time_ns for time_ns, _ in seen] == [step * 10_000_000 for step in range(20)]
    assert {time_ns: names for time_ns, names in seen if names} == {50_000_000: ["reach"]}
    assert len(record.scenes) == 20


def test_called_after_the_state_is_published():
    conductor, _, record = conduct(HEADER)
    published = []
    conductor.at_barriers(lambda now: published.append((now.time_ns, len(record.scenes))))
    conductor.run()
    assert published[:3] == [(0, 0), (10_000_000, 1), (20_000_000, 2)]


def test_changes_no_digest():
    conductor, _, _ = conduct(TELLING)
    conductor.at_barriers(lambda _: None)
    assert conductor.run().digest == run(TELLING).summary.digest


def test_may_give_the_run_an_earlier_end():
    conductor, _, _ = conduct(HEADER)
    conductor.at_barriers(lambda now: now.end_at(100_000_000))
    summary = conductor.run()
    assert summary.simulated_time == 0.1
    assert summary.ended == "recording"


def test_may_stop_the_run():
    conductor, _, _ = conduct(HEADER)
    conductor.at_barriers(lambda now: conductor.stop() if now.time_ns == 50_000_000 else None)
    summary = conductor.run()
    assert (summary.ended, summary.simulated_time) == ("stopped", 0.05)


def test_other_listeners_begin_where_they_are_given():
    conductor, _, before = conduct(HEADER)
    after = Recorder()

    def swap(now):
        if now.time_ns == 100_000_000:
            now.replace_listeners([after])

    conductor.at_barriers(swap)
    conductor.run()
    assert len(before.scenes) == 10
    assert not before.summaries
    assert after.starts[0].snapshot.time_ns == 100_000_000
    assert [scene.time_ns for scene in after.scenes] == [n * 10_000_000 for n in range(11, 21)]
    assert len(after.summaries) == 1


def test_fork_at_a_barrier_goes_on_as_the_same_run():
    conductor, _, record = conduct(TELLING)
    reader, writer = os.pipe()
    forked = []

    def fork(now):
        if now.time_ns == 100_000_000:
            forked.append(os.fork())
            if forked[0] == 0:
                now.replace_listeners([])

    conductor.at_barriers(fork)
    digest = conductor.run().digest
    if forked[0] == 0:
        os.write(writer, f"{digest} {len(record.summaries)}".encode())
        os._exit(0)
    os.waitpid(forked[0], 0)
    assert os.read(reader, 100).decode() == f"{digest} 0"
    assert len(record.summaries) == 1
