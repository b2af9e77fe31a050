"""The exact oracle: Python itself answers, from one frame alone. It is the upper bound of every experiment."""

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache

from cwm_agent.oracles.protocol import Answer, Prediction, Query, Unanswerable
from envs.execution.decompose.program import Program
from envs.execution.state.effects import Effect, Question
from envs.execution.state.frames import Frame, Outcome
from envs.execution.state.value_grammar import ImpossibleState, Unsupported
from envs.execution.stepper.stepper import Stepper
from envs.execution.tracer.reality import Reality


class ExactOracle:
    """Runs each line in the sandbox; never wrong. The answer is Unanswerable if the frame does not hold enough."""

    def __init__(self, reality: Reality) -> None:
        self._reality = reality

    @property
    def name(self) -> str:
        return "exact"

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        by_program: dict[Program, list[int]] = defaultdict(list)
        for index, query in enumerate(queries):
            by_program[query.program].append(index)
        found: dict[int, Prediction] = {}
        for program, indices in by_program.items():
            for index, effect in zip(indices, self._effects(program, [queries[at] for at in indices]), strict=True):
                found[index] = self._prediction(queries[index], effect)
        return [found[index] for index in range(len(queries))]

    def _effects(self, program: Program, queries: Sequence[Query]) -> list[Effect | Unsupported]:
        asked: list[tuple[Question, int]] = [
            (query.question, max((label for label, _ in query.frame.heap), default=0))
            for query in queries
            if query.question is not None
        ]
        effects = iter(self._reality.effects(program, asked))
        return [Effect() if query.question is None else next(effects) for query in queries]

    def _prediction(self, query: Query, effect: Effect | Unsupported) -> Prediction:
        if isinstance(effect, Unsupported):
            return Prediction(Unanswerable(str(effect)))
        if query.view == "local":
            return Prediction(Answer(effect), 0.0)
        try:
            following = self._following(query, effect)
        except (Unsupported, ImpossibleState) as error:  # the latter where the program forged its effect
            return Prediction(Unanswerable(str(error)))
        line = following.line if isinstance(following, Frame) and following.event == "line" else None
        return Prediction(Answer(effect, line), 0.0)

    def _following(self, query: Query, effect: Effect) -> Frame | Outcome | Question:
        stepper = _stepper(query.program)
        return stepper.ask(query.frame) if query.question is None else stepper.tell(query.frame, effect)


@lru_cache(maxsize=256)
def _stepper(program: Program) -> Stepper:
    return Stepper(program)
