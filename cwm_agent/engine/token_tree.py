"""Tokens behind a prompt as a tree: completions with the same beginning share nodes. Knows no network and no byte."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class TokenTree:
    """Tokens, each behind its parent; a node's number is larger than its parent's."""

    tokens: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    """The node before each one; -1 for the root."""
    depths: list[int] = field(default_factory=list)
    """Nodes between the root and each one, the root included."""
    _children: dict[tuple[int, int], int] = field(default_factory=dict)

    def add(self, parent: int, token: int) -> int:
        """The node of a token behind its parent, created if it is new; the parent of the root is -1."""
        node = self._children.get((parent, token))
        if node is None:
            node = self._children[parent, token] = len(self.tokens)
            self.tokens.append(token)
            self.parents.append(parent)
            self.depths.append(self.depths[parent] + 1 if parent >= 0 else 0)
        return node

    def extend(self, parent: int, tokens: Iterable[int]) -> int:
        """Add tokens behind a node, one after the other; returns the last node."""
        for token in tokens:
            parent = self.add(parent, token)
        return parent

    def path(self, node: int) -> list[int]:
        """The nodes from the root to a node, itself included."""
        found = []
        while node >= 0:
            found.append(node)
            node = self.parents[node]
        return found[::-1]

    def pruned(self, leaves: Sequence[int]) -> tuple["TokenTree", dict[int, int]]:
        """A tree of the paths to some nodes alone, and for each node that it keeps, in order, its new number."""
        nodes = sorted({node for leaf in leaves for node in self.path(leaf)})
        kept = {node: place for place, node in enumerate(nodes)}
        parents = [kept.get(self.parents[node], -1) for node in nodes]
        tokens, depths = [self.tokens[node] for node in nodes], [self.depths[node] for node in nodes]
        return TokenTree(tokens, parents, depths), kept
