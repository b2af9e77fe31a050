"""The explicit search tree, the only data that search changes; knows no search rule and no world.

A Node is one action taken: its numbers are those of the edge into it, its state is the state behind that edge. A
Fan holds the actions of a state and the children opened so far. Nodes with equal states share one Fan
if transpositions are on; then the tree is a graph. Children are opened in the order of their priors, so a
node costs memory only once it was tried.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from planners.errors import BadModel
from planners.limits import actions_of
from planners.model import End, Offers, Step
from planners.tree.scores import Range

S = TypeVar("S")
A = TypeVar("A")


@dataclass(slots=True, eq=False)
class Fan(Generic[S, A]):
    """The actions of one state, and the children opened so far."""

    actions: Sequence[A]
    """In the model's order."""
    priors: Sequence[float] | None
    """In the model's order; None means uniform."""
    order: Sequence[int]
    """Indices of actions, largest prior first: the order of opening."""
    children: list[Node[S, A]] = field(default_factory=list)
    """Opened and not refused, in the order of opening."""
    opened: int = 0
    """How many of `order` were opened, refused ones among them."""
    unopened_prior: float = 0.0
    """Prior of the next action to open; 0 when all are open."""
    value: float = 0.0
    """The present value of the state, over all paths to it; max backup keeps it if fans are shared."""

    def prior_of(self, index: int) -> float:
        """Return the prior of the action at `index` in the model's order."""
        return 1.0 / len(self.actions) if self.priors is None else self.priors[index]

    def open(self) -> Node[S, A]:
        """Open the next action of the order as a child that waits for its answer."""
        index, prior = self.order[self.opened], self.unopened_prior
        self.opened += 1
        self.look_ahead()
        child: Node[S, A] = Node(self.actions[index], index, prior, waiting=True, q=-math.inf)
        self.children.append(child)
        return child

    def put_back(self, child: Node[S, A]) -> None:
        """Close a child that never got its answer; its action is the next to open."""
        self.children.remove(child)
        order = list(self.order)
        order.remove(child.index)
        self.opened -= 1
        order.insert(self.opened, child.index)
        self.order = order
        self.look_ahead()

    def reorder(self, unopened: Sequence[int]) -> None:
        """Set a new order for the actions not yet opened."""
        self.order = [*self.order[: self.opened], *unopened]
        self.look_ahead()

    def look_ahead(self) -> None:
        """Store the prior of the next action to open, which selection reads at every visit."""
        done = self.opened >= len(self.order)
        self.unopened_prior = 0.0 if done else self.prior_of(self.order[self.opened])


@dataclass(slots=True, eq=False)
class Node(Generic[S, A]):
    """One action taken, and the known facts about the state behind it."""

    action: A
    """None at the root of a search."""
    index: int
    """Place of the action in the model's order; -1 at the root."""
    prior: float
    state: S = None  # type: ignore[assignment]  # unset while waiting
    """Imagined (or, once corrected, real) state; None while the model has not answered."""
    reward: float = 0.0
    estimate: float = 0.0
    """The model's own value of the state; if unknown, its parent's."""
    known: bool = False
    """Whether `estimate` comes from the model."""
    end: End | None = None
    """The reason why nothing follows this state; None if something does."""
    real: bool = False
    """Whether a real result was written here."""
    waiting: bool = False
    """Whether the model was asked and has not answered."""
    notes: tuple[tuple[str, str], ...] = ()
    prior_ahead: Sequence[float] | None = None
    """The model's prior over the actions of `state`, until the fan is made."""
    visits: int = 0
    """Finished simulations through this node."""
    started: int = 0
    """Finished simulations and those in flight (virtual visits)."""
    total: float = 0.0
    """Sum of the returns of the finished simulations, from this state on; kept by mean backup only."""
    value: float = 0.0
    """The value of this state by the backup rule."""
    q: float = 0.0
    """The value of the action: reward + discount * value."""
    share: float = 0.0
    """prior / (1 + started): the part of the exploration term that is the child's own."""
    fan: Fan[S, A] | None = None


@dataclass(slots=True, eq=False)
class Tree(Generic[S, A]):
    """A root and the range of values below it."""

    root: Node[S, A]
    range: Range = field(default_factory=Range)

    def walk(self) -> Iterator[tuple[int, Node[S, A]]]:
        """Yield (depth, node) from the root down, each fan once, siblings in the order of opening."""
        stack = [(0, self.root)]
        seen: set[int] = set()
        while stack:
            depth, node = stack.pop()
            yield depth, node
            if node.fan is not None and id(node.fan) not in seen:
                seen.add(id(node.fan))
                stack.extend((depth + 1, child) for child in reversed(node.fan.children))

    def __len__(self) -> int:
        return sum(1 for _ in self.walk())


def root_node(start: Step[S]) -> Node[S, A]:
    """Return the node a search starts from; its own value counts as a visit when it is known."""
    root: Node[S, A] = Node(None, -1, 1.0)  # type: ignore[arg-type]  # no action led to the root
    write_step(root, start, otherwise=0.0)
    root.reward = 0.0  # the step to the root is past
    root.value = root.estimate
    if root.known:
        root.visits = root.started = 1
        root.total = root.estimate
    return root


def write_step(node: Node[S, A], step: Step[S], otherwise: float) -> None:
    """Write the model's answer into a node; an unknown value is `otherwise`, and 0 at an end of the world."""
    node.state, node.reward, node.end, node.notes = step.state, step.reward, step.end, step.notes
    node.known = step.value is not None or step.end is not None
    node.estimate = step.value if step.value is not None else otherwise if step.end is None else 0.0
    node.prior_ahead = step.prior


def make_fan(model: Offers[S, A], node: Node[S, A]) -> Fan[S, A]:
    """Return the fan of the node's state, the largest prior first; equal priors keep the model's order."""
    actions = actions_of(model, node.state)
    prior = None if node.prior_ahead is None else tuple(node.prior_ahead)
    if prior is not None and len(prior) != len(actions):
        raise BadModel(
            f"A step's prior has {len(prior)} entries and actions() of its state gives {len(actions)}; "
            f"give one probability an action, in the same order. The state: {node.state!r:.200}"
        )
    order: Sequence[int] = range(len(actions))
    if prior is not None:
        order = sorted(order, key=lambda index: -prior[index])
    node.prior_ahead = None
    fan: Fan[S, A] = Fan(actions, prior, order, value=node.value)
    fan.look_ahead()
    return fan


def expanded(node: Node[S, A]) -> Fan[S, A]:
    """Return the fan of a node that is known to have one."""
    assert node.fan is not None
    return node.fan


def best_q(node: Node[S, A]) -> float:
    """Return the value of the best answered child; the node's own estimate if there is none."""
    if node.fan is None or not node.fan.children:
        return node.estimate
    best = max([child.q for child in node.fan.children])  # a list: twice as fast as a generator here
    return best if best > -math.inf else node.estimate


def best_shared_q(node: Node[S, A], discount: float) -> float:
    """Return the value of the best child if states share fans; updates each child first.

    Other paths may have changed the value of a child's state. Actions that lead back count too, with the value of the
    state they lead back to: if steps have a cost, a cycle is then never the best.
    """
    for child in expanded(node).children:
        if child.fan is not None:
            child.value = child.fan.value
            child.q = child.reward + discount * child.value
    return best_q(node)


def mean_q(node: Node[S, A]) -> float:
    """Return the mean value of a node's children, weighted by visits; its own estimate if they have none."""
    children = [child for child in expanded(node).children if child.visits]
    visits = sum(child.visits for child in children)
    return sum(child.visits * child.q for child in children) / visits if visits else node.estimate
