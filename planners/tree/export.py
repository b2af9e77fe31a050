"""Exports a search tree for inspection: as text or as a networkx graph, with each score split into its terms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from planners.tree.scores import exploration
from planners.tree.tree import Node
from planners.tree.tree_search import TreeSearch

if TYPE_CHECKING:
    import networkx

S = TypeVar("S")
A = TypeVar("A")


def score_terms(search: TreeSearch[S, A], parent: Node[S, A], child: Node[S, A]) -> dict[str, float]:
    """Return the child's selection score by named terms; their sum is the number that selection compares.

    A child in flight has no value term: selection does not choose it before `tell` gets its answer.
    """
    scale = search.tree.range.scale if search.config.normalise else 1.0
    if search.noise is not None and search.config.gumbel is not None and parent is search.tree.root:
        noise = search.noise[child.index]
        return {"noise": noise} if child.waiting else {"noise": noise, "value": search.gumbel_score(child) - noise}
    bonus = exploration(child.prior, child.started, parent.started, c=search.config.exploration)
    return {"exploration": bonus} if child.waiting else {"value": child.q * scale, "exploration": bonus}


def to_networkx(search: TreeSearch[S, A]) -> networkx.DiGraph[int]:
    """Return the tree as a DiGraph: nodes numbered from the root (0), edges with their action.

    Node attributes: state, visits, value, q, prior, reward, end, real, waiting, notes, terms.
    """
    try:
        import networkx as nx
    except ImportError as error:
        raise ImportError("Exporting a tree needs networkx. Install it with `pip install networkx`.") from error
    graph: networkx.DiGraph[int] = nx.DiGraph()
    nodes = [node for _, node in search.tree.walk()]
    numbers = {id(node): number for number, node in enumerate(nodes)}
    for number, node in enumerate(nodes):
        graph.add_node(number, **_attributes(node), terms={})
    for number, node in enumerate(nodes):
        for child in node.fan.children if node.fan is not None else ():
            graph.add_edge(number, numbers[id(child)], action=child.action)
            graph.nodes[numbers[id(child)]]["terms"] = score_terms(search, node, child)
    return graph


def tree_text(search: TreeSearch[S, A], depth: int = 3, top: int = 5) -> str:
    """Return the most visited part of the tree as indented lines, `top` children for each node, `depth` levels."""
    lines: list[str] = [_line(search, None, search.tree.root, 0)]
    _add_lines(search, search.tree.root, 1, depth, top=top, lines=lines)
    return "\n".join(lines)


def _add_lines(search: TreeSearch[S, A], node: Node[S, A], level: int, depth: int, top: int, lines: list[str]) -> None:
    if level > depth or node.fan is None:
        return
    ranked = sorted(node.fan.children, key=lambda child: -child.visits)
    for child in ranked[:top]:
        lines.append(_line(search, node, child, level))
        _add_lines(search, child, level + 1, depth, top=top, lines=lines)
    hidden = len(node.fan.actions) - len(ranked[:top])
    if hidden:
        opened = len(ranked) - len(ranked[:top])
        lines.append(f"{'  ' * level}... {hidden} more ({opened} opened)")


def _line(search: TreeSearch[S, A], parent: Node[S, A] | None, node: Node[S, A], level: int) -> str:
    name = "root" if parent is None else f"{node.action!r}"
    marks = [mark for mark, on in ((node.end or "", node.end), ("real", node.real), ("waiting", node.waiting)) if on]
    terms = score_terms(search, parent, node) if parent is not None else {}
    split = " + ".join(f"{term} {number:.3f}" for term, number in terms.items())
    words = [
        f"{name}: visits {node.visits}",
        f"value {node.value:.3f}",
        f"[{split}]" if split else "",
        *marks,
    ]
    return "  " * level + ", ".join(word for word in words if word)


def _attributes(node: Node[S, A]) -> dict[str, Any]:
    names = ("state", "visits", "value", "q", "prior", "reward", "end", "real", "waiting", "notes")
    return {name: getattr(node, name) for name in names}
