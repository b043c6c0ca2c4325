"""Cycles in directed graphs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence


def find_cycle(leads_to: Mapping[str, Sequence[str]]) -> list[str]:
    """A cycle in a graph, its first node again at the end; empty if there is none.

    Takes time in proportion to the graph, and no recursion, however it is made.

    Args:
        leads_to: node -> the nodes that it leads to, all of them nodes of the graph.
    """
    finished: set[str] = set()
    for start in leads_to:
        path: dict[str, Iterator[str]] = {start: iter(leads_to[start])}
        while path:
            node, following = next(reversed(path.items()))
            other = next((n for n in following if n not in finished), None)
            if other is None:
                finished.add(node)
                del path[node]
            elif other in path:
                names = list(path)
                return [*names[names.index(other) :], other]
            else:
                path[other] = iter(leads_to[other])
    return []
