"""mosaik and HELICS under the same faults; to come from `fault_peer_mosaik` and `fault_peer_helics`."""

from __future__ import annotations

from typing import Any

PEERS: dict[str, Any] = {}


def suffer_peer(peer: Any, fault: str, transport: str) -> Any:
    raise NotImplementedError
