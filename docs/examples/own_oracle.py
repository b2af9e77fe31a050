"""An oracle of one's own: it knows additions of whole numbers and says so of everything else.

    cwm-agent debug savings.py --call "balance(80, 1, 2)" --oracle own_oracle:Adder -c "step 4"
    python docs/examples/own_oracle.py

An oracle has a name, and `imagine`: a batch of queries in, one prediction for each out. A query holds one line and the
values that it reads. What it cannot answer is `Unanswerable`, so that the agent counts it as unknown and not as wrong.
"""

import re
from collections.abc import Sequence

from cwm_agent import Answer, Effect, Prediction, Query, check_oracle, imagine_call
from cwm_agent.oracles.protocol import Unanswerable

SUM = re.compile(r"(\w+) = (\w+) \+ (\w+)")
PROGRAM = "def f(a, b):\n    c = a + b\n    return c + 1\n"


class Adder:
    """Knows sums of two whole numbers."""

    name = "adder"

    def imagine(self, queries: Sequence[Query]) -> list[Prediction]:
        return [self.answer(query) for query in queries]

    def answer(self, query: Query) -> Prediction:
        found = SUM.fullmatch(query.question.statement) if query.question else None
        if found is None:
            return Prediction(Unanswerable("no sum of two names or numbers"))
        target, *names = found.groups()
        values = dict(query.question.reads)
        numbers = [values.get(name, name) for name in names]
        if not all(number.lstrip("-").isdigit() for number in numbers):
            return Prediction(Unanswerable("no sum of whole numbers"))
        return Prediction(Answer(Effect(bound=((target, str(sum(map(int, numbers)))),))))


if __name__ == "__main__":
    check_oracle(Adder())  # raises BrokenOracle with the first rule that an oracle breaks
    rollout = imagine_call(PROGRAM, "f(2, 3)", Adder())
    print(rollout.outcome.value)
    print(imagine_call("def f(a):\n    return a * 2\n", "f(2)", Adder()).reason)
