"""Ask and tell for planners that extend paths: wraps a planner's generator of moves in a search.

A new planner derives from `PathPlanner` and implements one method, `paths`: it chooses paths of the book, yields from
`book.grow(paths)`, and gets them back one step longer. Knows no world.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Sequence
from random import Random
from typing import Generic, TypeVar, cast

from planners.drive import EVERYTHING, run
from planners.errors import BadOption, BadTicket
from planners.limits import Limits
from planners.model import Model, Offers, Refused, Step
from planners.paths.path import Book, Growing, start_path
from planners.plan import Leaf, Plan

S = TypeVar("S")
A = TypeVar("A")


class PathSearch(Generic[S, A]):
    """One search in progress: the moves that the planner waits for, and their answers so far."""

    leaves: int = EVERYTHING

    def __init__(self, book: Book[S, A], moves: Growing[S, A, str]) -> None:
        self.book, self.rng = book, book.rng
        self.model = cast(Model[S, A], book.model)
        """The search asks it for actions; only `planners.drive.run` asks it for steps."""
        self.stopped = ""
        """The reason why the search ended; empty before that."""
        self._moves = moves
        self._wanted: list[tuple[S, A]] = []
        self._left: deque[int] = deque()
        """Places of moves that `ask` has not returned yet."""
        self._in_flight: dict[int, int] = {}
        """Place of each move without an answer that `ask` has returned, by ticket."""
        self._answers: dict[int, Step[S] | Refused] = {}
        self._tickets = 0
        self._begun = False

    def ask(self, k: int = 1) -> list[Leaf[S, A]]:
        """Return up to k leaves; none while the planner waits for those in flight, and none after its end."""
        if k < 1:
            raise BadOption(f"ask() got k={k!r}; ask for at least one leaf.")
        if not self._begun:
            self._begun = True
            self._go_on(None)
        while self._left:
            flying = len(self._in_flight)
            room = self.book.meter.room(min(k, len(self._left)) + flying) - flying
            if room > 0:
                return [self._issue() for _ in range(room)]
            if flying:
                return []
            self.book.cut = True  # a limit was reached in the middle of a batch
            self._left.clear()
            self._send()
        return []

    def _issue(self) -> Leaf[S, A]:
        place, ticket = self._left.popleft(), self._tickets
        self._tickets += 1
        self._in_flight[ticket] = place
        return Leaf(ticket, *self._wanted[place])

    def tell(self, answers: Iterable[tuple[Leaf[S, A], Step[S] | Refused]]) -> int:
        """Take answers in any order; the planner continues when all answers of its batch are there."""
        pairs = list(answers)
        for leaf, _ in pairs:
            self._check_ticket(leaf.ticket)
        used = []
        for leaf, answer in pairs:
            place = self._in_flight.pop(leaf.ticket, None)
            if place is not None:
                self._answers[place] = answer
                used.append(answer)
        if used:
            self.book.meter.count(used)
            if not self._left and not self._in_flight:
                self._send()
        return len(used)

    def release(self, leaves: Iterable[Leaf[S, A]] | None = None) -> None:
        """Forget leaves whose answers were lost (all in flight when None); they are asked again."""
        tickets = list(self._in_flight) if leaves is None else [leaf.ticket for leaf in leaves]
        for ticket in tickets:
            self._check_ticket(ticket)
        places = [place for ticket in tickets if (place := self._in_flight.pop(ticket, None)) is not None]
        self._left.extendleft(sorted(places, reverse=True))

    def correct(self, actions: Sequence[A], real: Step[S] | Refused) -> None:
        """Overwrite the imagined result of `actions` with the real one; the planner uses it from now on."""
        self.book.correct(actions, real)

    def plan(self) -> Plan[S, A]:
        """Return the best path so far."""
        return self.book.plan(self.stopped or ("limits" if self.book.cut else "searching"))

    def _send(self) -> None:
        """Send the planner its answers, up to the first missing one, and take its next moves."""
        found = [self._answers[place] for place in range(len(self._answers)) if place in self._answers]
        self._go_on(found)

    def _go_on(self, found: Sequence[Step[S] | Refused] | None) -> None:
        self._wanted, self._answers = [], {}
        try:
            self._wanted = next(self._moves) if found is None else self._moves.send(found)
        except StopIteration as over:
            self.stopped = over.value
        self._left = deque(range(len(self._wanted)))

    def _check_ticket(self, ticket: int) -> None:
        if not 0 <= ticket < self._tickets:
            raise BadTicket(
                f"Ticket {ticket} was never given out ({self._tickets} were); tell and release leaves of `ask`."
            )


class PathPlanner(ABC):
    """Base class of planners that extend paths; a planner adds one generator."""

    discount: float = 1.0

    @abstractmethod
    def paths(self, book: Book[S, A]) -> Growing[S, A, str]:
        """Extend paths of the book by `yield from book.grow(paths)`, and return why the search ended."""

    def search(self, model: Offers[S, A], state: S | Step[S], limits: Limits, rng: Random) -> PathSearch[S, A]:
        """Return a search to ask and tell by hand, to correct, or to give to `run`."""
        book: Book[S, A] = Book(model, start_path(state), limits, rng, discount=self.discount)
        return PathSearch(book, self.paths(book))

    def plan(self, model: Model[S, A], state: S | Step[S], limits: Limits, rng: Random) -> Plan[S, A]:
        """Run a whole search and return its best path."""
        return run(self.search(model, state, limits, rng))
