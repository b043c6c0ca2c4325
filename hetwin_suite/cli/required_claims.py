"""The claims that a user wants checked, as the option ``--require`` names them."""

from __future__ import annotations

from hetwin_core.ensemble.concern_words import claim_named, claim_words
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import one_of


def required_claims(text: str) -> tuple[str, ...]:
    """Return the claims that a list names.

    Args:
        text: claims in either number, separated by commas; empty for none.

    Raises:
        BadInput: if there is no such claim.
    """
    words = [word.strip() for word in text.split(",") if word.strip()]
    found = [(word, claim_named(word)) for word in words]
    for word, claim in found:
        if claim is None:
            raise BadInput(
                "there is no such claim",
                where="--require",
                found=word,
                expected=one_of(word, list(claim_words())),
            )
    return tuple(dict.fromkeys(claim for _, claim in found if claim is not None))
