"""Results of the standard's services, in each of its versions."""

from __future__ import annotations

from simulation_interfaces.msg import Result


class RequestRefused(Exception):
    """A request that is not carried out.

    Args:
        code: of ``simulation_interfaces/Result``, or of the service's response.
        words: why it is refused, and what to do.
    """

    def __init__(self, code: int, words: str) -> None:
        super().__init__(words)
        self.code = code


def unsupported(words: str) -> RequestRefused:
    """The request asks for what hetwin cannot do at all."""
    return RequestRefused(Result.RESULT_FEATURE_UNSUPPORTED, words)


def not_found(words: str) -> RequestRefused:
    """The request names something that does not exist."""
    return RequestRefused(Result.RESULT_NOT_FOUND, words)


def wrong_state(words: str) -> RequestRefused:
    """The request cannot be carried out in the present state."""
    return RequestRefused(Result.RESULT_INCORRECT_STATE, words)


def failed(words: str) -> RequestRefused:
    """The request failed, or is not possible with these values."""
    return RequestRefused(Result.RESULT_OPERATION_FAILED, words)


def fill_ok(result: Result) -> None:
    """Fill in a ``Result`` of a request that was carried out."""
    result.result = Result.RESULT_OK


def fill_refused(result: Result, refusal: RequestRefused) -> None:
    """Fill in a ``Result`` of a request that was refused."""
    result.result, result.error_message = refusal.code, str(refusal)
