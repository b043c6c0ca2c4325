"""What a unit logs is passed on as far as someone wants to read it."""

from __future__ import annotations

from hetwin_fmu.messages import MAX_MESSAGES, Message, Messages


def test_what_is_wrong_is_passed_on_once() -> None:
    messages = Messages()
    messages.log2(None, b"motor", 1, b"heat", b"  it is\n  warm ")
    messages.log3(None, 0, b"logAll", b"a step")
    assert messages.take() == [Message("warning", "heat", "it is warm")]
    assert messages.take() == []
    assert messages.last_words == ": it is warm"


def test_there_may_be_nothing_to_say() -> None:
    messages = Messages()
    assert messages.last_words == ", without a message; with verbose: true it may say why"
    assert Messages(verbose=True).last_words == ""
    messages.log3(None, 3, None, None)
    messages.log3(None, 9, b"x", b"\xff")
    assert messages.take() == [Message("error", "", ""), Message("status 9", "x", "\ufffd")]


def test_not_all_of_many_are_passed_on() -> None:
    messages = Messages()
    for _ in range(3 * MAX_MESSAGES):
        messages.log3(None, 1, b"", b"again")
    taken = messages.take()
    assert len(taken) == MAX_MESSAGES + 1
    assert taken[-1].text == "further messages are not shown"


def test_all_are_if_they_are_wanted() -> None:
    messages = Messages(verbose=True)
    for _ in range(3 * MAX_MESSAGES):
        messages.log3(None, 0, b"logAll", b"a step")
    assert len(messages.take()) == 3 * MAX_MESSAGES
