"""Simulations as ask and tell: drives simulations that ask several questions one after the other; runs no model.

Under chance one simulation asks the model again at each step it takes, since the world may answer otherwise than the
last time. A simulation is a generator: it yields a move, gets the answer, and updates its tree when it ends.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from random import Random
from typing import Generic, NoReturn, TypeAlias, TypeVar, cast

from planners.errors import BadOption, BadTicket
from planners.limits import Limits, Meter, Spent, actions_of
from planners.model import Model, Offers, Refused, Step
from planners.plan import Leaf

S = TypeVar("S")
A = TypeVar("A")
T = TypeVar("T")

Asking: TypeAlias = Generator[tuple[S, A], Step[S] | Refused, T]
"""A generator that yields moves, is sent their answers, and returns a T."""
RolloutPolicy: TypeAlias = Callable[[S, Sequence[A], Random], A]
"""Chooses one of the actions of a state in a rollout."""
SIMULATIONS_BETWEEN_LOOKS = 64
"""Most simulations without a question between two checks of the limits."""


class SimulationSearch(Generic[S, A]):
    """One search in progress; derive from it and write `simulate` and `plan`."""

    def __init__(self, model: Offers[S, A], limits: Limits, rng: Random, *, simulations: int, leaves: int) -> None:
        self.model = cast(Model[S, A], model)
        """The search asks it for actions; only `planners.drive.run` asks it for steps."""
        self.limits, self.rng, self.leaves = limits, rng, leaves
        self.meter: Meter[S, A] = Meter(limits)
        self.remaining = simulations
        """Number of simulations that may still start."""
        self.tickets = 0
        """Number of tickets issued so far; they count from 0."""
        self.in_flight: dict[int, Asking[S, A, None]] = {}
        self._answered: deque[tuple[Asking[S, A, None], tuple[S, A]]] = deque()
        """Simulations that were answered, each with its next move."""

    @property
    def spent(self) -> Spent:
        return self.meter.spent

    @property
    def stopped(self) -> str:
        """Why this search ended, for its plan."""
        return "limits" if self.remaining or self._answered else "simulations"

    def simulate(self) -> Asking[S, A, None]:
        """Run one simulation; on `close` it must leave the tree as it was."""
        raise NotImplementedError

    def ask(self, k: int = 1) -> list[Leaf[S, A]]:
        """Return up to k moves to evaluate: first the next moves of simulations under way, then new simulations."""
        if k < 1:
            raise BadOption(f"ask() got k={k!r}; ask for at least one leaf.")
        leaves: list[Leaf[S, A]] = []
        wanted = min(k, self.meter.room(k + len(self.in_flight)) - len(self.in_flight))
        while len(leaves) < wanted:
            if self._answered:
                simulation, move = self._answered.popleft()
            elif self.remaining > 0:
                self.remaining -= 1
                simulation = self.simulate()
                try:
                    move = next(simulation)
                except StopIteration:
                    if self.remaining % SIMULATIONS_BETWEEN_LOOKS == 0 and self.meter.room(1) == 0:
                        break
                    continue
            else:
                break
            self.in_flight[self.tickets] = simulation
            leaves.append(Leaf(self.tickets, *move))
            self.tickets += 1
        return leaves

    def tell(self, answers: Iterable[tuple[Leaf[S, A], Step[S] | Refused]]) -> int:
        """Take answers in any order and return how many were used; answers to released leaves are ignored."""
        pairs = sorted(answers, key=lambda pair: pair[0].ticket)
        for leaf, _ in pairs:
            self._check_ticket(leaf.ticket)
        used = [(self.in_flight.pop(leaf.ticket), answer) for leaf, answer in pairs if leaf.ticket in self.in_flight]
        if used:
            self.meter.count([answer for _, answer in used])
        for simulation, answer in used:
            try:
                self._answered.append((simulation, simulation.send(answer)))
            except StopIteration:
                pass
        return len(used)

    def release(self, leaves: Iterable[Leaf[S, A]] | None = None) -> None:
        """Give up the simulations of lost leaves (all in flight when None); others start in their place."""
        tickets = list(self.in_flight) if leaves is None else [leaf.ticket for leaf in leaves]
        for ticket in tickets:
            self._check_ticket(ticket)
        for ticket in tickets:
            simulation = self.in_flight.pop(ticket, None)
            if simulation is not None:
                simulation.close()
                self.remaining += 1

    def correct(self, actions: Sequence[A], real: Step[S] | Refused) -> NoReturn:
        """Raise BadOption: under chance a real result contradicts no imagined one."""
        raise BadOption(
            "Under chance a real result corrects nothing: it is one of several that were possible. "
            "Call `advance` of the search with the action and what followed, or start a new search from there."
        )

    def abandon(self) -> None:
        """Close all simulations under way, so that the tree can change its root."""
        self.release()
        while self._answered:
            self._answered.popleft()[0].close()

    def rollout(self, state: S, depth: int, policy: RolloutPolicy[S, A] | None, discount: float) -> Asking[S, A, float]:
        """Return the discounted return of at most `depth` steps of the policy, uniformly random when None."""
        gain, weight, rng = 0.0, 1.0, self.rng
        for _ in range(depth):
            actions = actions_of(self.model, state)
            if not actions:
                break
            answer = yield state, policy(state, actions, rng) if policy else actions[int(rng.random() * len(actions))]
            if isinstance(answer, Refused):
                break
            gain += weight * answer.reward
            weight *= discount
            if answer.end is not None or answer.value is not None:
                return gain + weight * (answer.value or 0.0)
            state = answer.state
        return gain

    def _check_ticket(self, ticket: int) -> None:
        if not 0 <= ticket < self.tickets:
            raise BadTicket(
                f"Ticket {ticket} was never given out ({self.tickets} were); tell and release leaves of `ask`."
            )
