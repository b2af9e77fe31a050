"""Monte-Carlo tree search as ask and tell: select, expand, backup over a Tree; runs no model.

`ask(k)` selects up to k leaves to evaluate, `tell` takes their answers in any order, `release` gives up lost ones. The
caller holds the model and calls both; `planners.drive` is the plain loop. Answers in one `tell` give the same tree in
any order; answers in several `tell`s before the next `ask` give the same visits, and values that differ at most by
rounding (without transpositions).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf, sqrt
from random import Random
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from planners.errors import BadModel, BadOption, BadTicket
from planners.limits import Limits, Meter, Spent
from planners.model import Model, Offers, Refused, Step
from planners.plan import Leaf, Plan
from planners.tree.backup import backup_best, backup_rule
from planners.tree.readout import read_plan
from planners.tree.reality import correct
from planners.tree.scores import gumbel_logits, halving_schedule
from planners.tree.tree import (
    Fan,
    Node,
    Tree,
    expanded,
    make_fan,
    mean_q,
    root_node,
    write_step,
)

if TYPE_CHECKING:
    from planners.tree.mcts import MCTS

S = TypeVar("S")
A = TypeVar("A")

SIMULATIONS_BETWEEN_LOOKS = 64
"""Most simulations without a question between two checks of the clock."""


class TreeSearch(Generic[S, A]):
    """One search in progress: the tree, the leaves in flight, and the costs so far."""

    def __init__(self, config: MCTS, model: Offers[S, A], start: Step[S], limits: Limits, *, rng: Random) -> None:
        self.config, self.limits, self.rng = config, limits, rng
        self.model = cast(Model[S, A], model)
        """The search asks it for actions; only `planners.drive.run` asks it for steps."""
        self.leaves = config.leaves
        self.meter: Meter[S, A] = Meter(limits)
        self.backup = backup_rule(config.backup, shared=config.transpositions)
        self.counts_only = self.backup is backup_best
        """Whether a simulation without a question changes no value."""
        self.remaining = config.simulations
        """Number of simulations that may still start from this root."""
        self.tickets = 0
        """Number of tickets issued so far; they count from 0."""
        self.in_flight: dict[int, list[Node[S, A]]] = {}
        """Path of each leaf in flight, by ticket."""
        self.shared: dict[S, Fan[S, A]] = {}
        """Fan of each expanded state, if transpositions are on."""
        self.noise: list[float] | None = None
        """Gumbel score of each root action, if Gumbel selection is on."""
        self.tree: Tree[S, A] = Tree(root_node(start))

    @property
    def spent(self) -> Spent:
        return self.meter.spent

    def ask(self, k: int = 1) -> list[Leaf[S, A]]:
        """Return up to k leaves to evaluate; fewer at a limit or if the rest waits for answers in flight.

        Simulations that need no question (they stop at an end of the world or at the depth limit) are finished
        here. An empty list means: tell or release the leaves in flight; if there are none, the search is over.
        """
        if k < 1:
            raise BadOption(f"ask() got k={k!r}; ask for at least one leaf.")
        leaves: list[Leaf[S, A]] = []
        room = self.meter.room(k + len(self.in_flight)) - len(self.in_flight)
        wanted = min(k, room)
        while len(leaves) < wanted and self.remaining > 0:
            path = self._select()
            if path is None:
                break
            self.remaining -= 1
            for node in path:
                node.started = started = node.started + 1
                node.share = node.prior / (1 + started)
            if path[-1].waiting:
                leaves.append(self._issue(path))
                continue
            if not self.config.revisit:
                self._close(path)
                if len(path) == 1:
                    break
                continue
            self._revisit(path)
            if self.remaining % SIMULATIONS_BETWEEN_LOOKS == 0 and self.meter.room(1) == 0:
                break
        return leaves

    def tell(self, answers: Iterable[tuple[Leaf[S, A], Step[S] | Refused]]) -> int:
        """Take answers in any order and return how many were used; answers to released tickets are ignored."""
        pairs = list(answers)
        if len(pairs) > 1:
            pairs.sort(key=_by_ticket)
        for leaf, _ in pairs:
            self._check_ticket(leaf.ticket)  # before anything changes, so that a wrong ticket loses no answer
        used: list[Step[S] | Refused] = []
        for leaf, answer in pairs:
            path = self.in_flight.pop(leaf.ticket, None)
            if path is None:
                continue
            used.append(answer)
            if isinstance(answer, Refused):
                self._refuse(path)
            else:
                self._expand(path, answer)
        if used:
            self.meter.count(used)
        return len(used)

    def release(self, leaves: Iterable[Leaf[S, A]] | None = None) -> None:
        """Forget leaves whose answers were lost (all in flight when None); they may be asked again."""
        tickets = list(self.in_flight) if leaves is None else [leaf.ticket for leaf in leaves]
        for ticket in tickets:
            self._check_ticket(ticket)
        for ticket in sorted(tickets, reverse=True):  # so that the first leaf asked is the first asked again
            path = self.in_flight.pop(ticket, None)
            if path is not None:
                self._undo(path)
                expanded(path[-2]).put_back(path[-1])

    def correct(self, actions: Sequence[A], real: Step[S] | Refused) -> None:
        """Overwrite the imagined result of `actions` with the real one (`planners.tree.reality.correct`)."""
        correct(self, actions, real)

    def plan(self) -> Plan[S, A]:
        """Return the plan that `planners.tree.readout.read_plan` finds in the tree so far."""
        return read_plan(self, stopped="limits" if self.remaining else "simulations")

    def _select(self) -> list[Node[S, A]] | None:
        """Return a path from the root to a leaf, or None if every path waits for an answer.

        Each step takes the child with the best PUCT score, or opens the best unopened one if that scores higher.
        Search spends most of its time here, so the loop over children is written inline with local variables.
        """
        config, depth = self.config, self.limits.depth
        exploration, widening = config.exploration, config.widening
        scale = self.tree.range.scale if config.normalise else 1.0
        on_path: set[int] | None = set() if config.transpositions else None
        halving = config.gumbel is not None  # at the root only
        node = self.tree.root
        path = [node]
        for _ in range(depth):
            if node.end:
                break
            fan = node.fan or self.fan_of(node)
            if on_path is not None:
                on_path.add(id(fan))
            bonus = exploration * sqrt(node.started)
            best, best_score = None, -inf
            for child in fan.children:
                score = child.q * scale + bonus * child.share  # q of a waiting child is -inf: never chosen
                if score > best_score and (on_path is None or id(child.fan) not in on_path):
                    best, best_score = child, score
            if halving:
                halving, best = False, self._halve(fan)
            elif (
                node.value * scale + bonus * fan.unopened_prior >= best_score
                and fan.opened < len(fan.order)
                and (widening is None or widening.allows(len(fan.children), node.started))
            ):
                best = fan.open()
            if best is None:
                # Else a dead end: no actions, all refused, or all lead back onto this path.
                return None if any(child.waiting for child in fan.children) else path
            node = best
            path.append(node)
            if node.waiting:
                break
        return path

    def _halve(self, fan: Fan[S, A]) -> Node[S, A] | None:
        """Return the root child that sequential halving visits next."""
        assert self.config.gumbel is not None
        if self.noise is None:
            self._draw_noise(fan)
        simulations = self.config.simulations
        considered = min(self.config.gumbel.considered, len(fan.order))
        wanted = halving_schedule(considered, simulations)[simulations - self.remaining]
        unopened = fan.opened < len(fan.order)
        if unopened and (not fan.children or (wanted == 0 and len(fan.children) < considered)):
            return fan.open()
        ready = [child for child in fan.children if not child.waiting]
        on_turn = [child for child in ready if child.started == wanted]
        if on_turn:
            return max(on_turn, key=self.gumbel_score)
        # After refusals, reuse of a subtree or answers in flight the table does not fit: then take the least visited.
        return min(ready, key=lambda child: (child.started, -self.gumbel_score(child)), default=None)

    def gumbel_score(self, child: Node[S, A]) -> float:
        """Return noise + log prior + scaled value of a root child."""
        assert self.config.gumbel is not None
        assert self.noise is not None
        most = max(sibling.visits for sibling in expanded(self.tree.root).children)
        scale = self.tree.range.scale if self.config.normalise else 1.0
        return self.noise[child.index] + self.config.gumbel.sigma(child.q * scale, most)

    def fan_of(self, node: Node[S, A]) -> Fan[S, A]:
        """Return the fan of the node's state; ask the model for it once and store it in the node."""
        if node.fan is None and self.config.transpositions:
            node.fan = self._lookup(node.state)
        if node.fan is None:
            node.fan = make_fan(self.model, node)
            if self.config.transpositions:
                self.shared[node.state] = node.fan
        return node.fan

    def _draw_noise(self, fan: Fan[S, A]) -> None:
        """Draw the Gumbel score of each root action, and open the root's actions in that order."""
        self.noise = noise = gumbel_logits([fan.prior_of(i) for i in range(len(fan.actions))], self.rng)
        fan.reorder(sorted(fan.order[fan.opened :], key=lambda index: -noise[index]))

    def _lookup(self, state: S) -> Fan[S, A] | None:
        try:
            return self.shared.get(state)
        except TypeError as error:
            raise BadModel(
                f"Transpositions need hashable states, and {type(state).__name__} is not: "
                "make states frozen, or search with MCTS(transpositions=False)."
            ) from error

    def _issue(self, path: list[Node[S, A]]) -> Leaf[S, A]:
        ticket = self.tickets
        self.tickets += 1
        self.in_flight[ticket] = path
        return self._leaf(ticket, path)

    @staticmethod
    def _leaf(ticket: int, path: list[Node[S, A]]) -> Leaf[S, A]:
        return Leaf(ticket, path[-2].state, path[-1].action)

    def _expand(self, path: list[Node[S, A]], step: Step[S]) -> None:
        """Write the model's answer into the leaf and back its value up."""
        leaf = path[-1]
        leaf.waiting = False
        write_step(leaf, step, otherwise=path[-2].estimate)
        leaf.value = leaf.estimate
        if self.config.transpositions and leaf.end is None:
            leaf.fan = self._lookup(step.state)
            if leaf.fan is not None:
                leaf.value = leaf.fan.value if self.config.backup == "max" else mean_q(leaf)
        self.backup(path, self.config.discount, self.tree.range)

    def _revisit(self, path: Sequence[Node[S, A]]) -> None:
        """Finish a simulation that needed no question.

        With max backup over a tree it changes no value: its last state is known and backed up already. Once the goal
        is found most simulations are of this kind, so they are only counted.
        """
        if self.counts_only:
            for node in path:
                node.visits += 1
        else:
            self.backup(path, self.config.discount, self.tree.range)

    def _close(self, path: Sequence[Node[S, A]]) -> None:
        """Undo a simulation that needed no question, and never select its last node again: it is fully known."""
        self._undo(path)
        if len(path) > 1:
            path[-1].q = -inf

    def _refuse(self, path: list[Node[S, A]]) -> None:
        """Undo a simulation whose action the world refused; the action is not opened again."""
        self._undo(path)
        expanded(path[-2]).children.remove(path[-1])

    def _undo(self, path: Sequence[Node[S, A]]) -> None:
        self.remaining += 1
        for node in path:
            node.started -= 1
            node.share = node.prior / (1 + node.started)

    def _check_ticket(self, ticket: int) -> None:
        if not 0 <= ticket < self.tickets:
            raise BadTicket(
                f"Ticket {ticket} was never given out ({self.tickets} were); tell and release leaves of `ask`."
            )


def _by_ticket(told: tuple[Leaf[Any, Any], object]) -> int:
    return told[0].ticket
