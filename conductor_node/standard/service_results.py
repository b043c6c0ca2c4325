"""How the standard says yes and no, in each of its versions."""

from __future__ import annotations

from typing import Any

from simulation_interfaces.msg import Result


class No(Exception):
    """A request that is not carried out.

    Args:
        code: of ``simulation_interfaces/Result``, or of the service's response.
        words: why not, and what to do.
    """

    def __init__(self, code: int, words: str) -> None:
        super().__init__(words)
        self.code = code


def unsupported(words: str) -> No:
    """What is asked for cannot be done at all."""
    return No(Result.RESULT_FEATURE_UNSUPPORTED, words)


def not_found(words: str) -> No:
    """Something that is asked for does not exist."""
    return No(Result.RESULT_NOT_FOUND, words)


def wrong_state(words: str) -> No:
    """It can be done, but not now."""
    return No(Result.RESULT_INCORRECT_STATE, words)


def failed(words: str) -> No:
    """It was tried, or is not possible with these values."""
    return No(Result.RESULT_OPERATION_FAILED, words)


def yes(result: Any) -> None:
    """Fill in a ``Result``."""
    result.result = Result.RESULT_OK


def no(result: Any, refusal: No) -> None:
    """Fill in a ``Result``."""
    result.result, result.error_message = refusal.code, str(refusal)
