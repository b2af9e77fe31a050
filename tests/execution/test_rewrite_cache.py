"""What is remembered from program to program gives the same to the letter as what is made anew."""

import ast
import random
import re

import pytest

from envs.editing.edit_generation import uncompiled_edits
from envs.execution.decompose import rewrite_cache
from envs.execution.decompose.decomposition import DecomposeError, decompose
from envs.execution.decompose.module_rewriter import rewrite
from envs.execution.decompose.program import Program, decomposed
from envs.execution.state.value_grammar import ExecutionError
from envs.execution.stepper import first_frame
from envs.execution.syntax.line_map import LineMap
from envs.execution.syntax.liveness import _by_graphs, _places, live_temporaries
from envs.execution.syntax.program_structure import Function, nodes_of
from tasks import CallTest, RepairTask, load

DEV = [task for task in load("repair").tasks if isinstance(task, RepairTask) and task.split == "dev"]
HARD = """
def outer(xs, n):
    def inner(a, b=[x for x in xs]):
        return (a, b, n)
    total = 0
    while True:
        n -= 1
        if n < 0: break
        for x in xs:
            try:
                total += inner(x * 2 + n)[0] / (x - n)
            except ZeroDivisionError as error:
                total = total + len(str(error)) + n
                continue
            finally:
                total -= 1
        else:
            total += sum(f(y) for y in xs if y) if xs else 0
    return sorted(map(lambda x: (x, -x + total), xs)), total
"""


def changed(source: str, rng: random.Random) -> str:
    """The program after one to three random edits."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        try:
            source = rng.choice(uncompiled_edits(source)).apply(source)
            ast.parse(source)
        except (SyntaxError, ValueError, IndexError):
            break
    return source


def made(source: str, entry: str, level: str) -> object:
    try:
        program = decompose(source, entry, level=level)  # type: ignore[arg-type]
    except DecomposeError as error:
        return str(error)
    return program


def by_graph(source: str, temporaries: frozenset[str]) -> dict[int, frozenset[str]]:
    tree, ordered = ast.parse(source), sorted(temporaries)
    bits = {name: 1 << place for place, name in enumerate(ordered)}
    functions = [node for node in nodes_of(tree) if isinstance(node, Function)]
    rows = [row for masks in _by_graphs(tree, functions, bits) for row in masks.items()]
    return {line: frozenset(ordered[place] for place in _places(mask)) for line, mask in rows}


@pytest.mark.parametrize("task", [*DEV[::3], None], ids=lambda task: task.id if task else "hard")
def test_a_program_made_of_what_is_remembered_is_the_one_made_anew(
    task: RepairTask | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(0)
    source, entry = (task.source, task.entry) if task else (HARD, "outer")
    tried = [(changed(source, rng), rng.choice(("operations", "characters"))) for _ in range(12)]
    warm = [made(text, entry, level) for text, level in tried]
    monkeypatch.setattr(rewrite_cache, "_statements", rewrite_cache._Recent(0))
    for (text, level), remembered in zip(tried, warm, strict=True):
        assert made(text, entry, level) == remembered
        if isinstance(remembered, str):
            continue
        lines, names = rewrite(ast.parse(text), level == "characters", {})
        assert "".join(f"{'    ' * line.depth}{line.text}\n" for line in lines.lines) == remembered.source  # type: ignore[attr-defined]
        assert names == remembered.temporaries  # type: ignore[attr-defined]


@pytest.mark.parametrize("task", [*DEV[1::3], None], ids=lambda task: task.id if task else "hard")
def test_live_temporaries_by_blocks_are_those_of_the_graph(task: RepairTask | None) -> None:
    rng = random.Random(1)
    source, entry = (task.source, task.entry) if task else (HARD, "outer")
    for _ in range(8):
        program = made(changed(source, rng), entry, rng.choice(("operations", "characters")))
        if not isinstance(program, str):
            assert program.live == by_graph(program.source, program.temporaries)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "body",
    [
        "for a in _1:\n  for b in _2:\n   _3 = a\n   if b:\n    continue\n   break\n  else:\n   _4 = _3\n return _3",
        "while True:\n  _1 = _2\n  while _1:\n   _2 = _3\n   _3 += 1\n  if _1:\n   return _4",
        "def _1(x=_2, y: _3 = 1):\n  return _4\n _2 = _1\n return _2",
        "x = '''_1\n_2'''\n return _1",
    ],
)
def test_blocks_and_graphs_agree_on_odd_shapes(body: str) -> None:
    source = f"def f(xs):\n {body}\n"
    names = frozenset({"_1", "_2", "_3", "_4"})
    found = live_temporaries(ast.parse(source), names, source.split("\n"))
    assert found == by_graph(source, names)


@pytest.mark.parametrize("task", DEV[2::3], ids=lambda task: task.id)
def test_a_first_frame_that_is_remembered_is_the_one_made_anew(task: RepairTask) -> None:
    rng = random.Random(2)
    calls = [test.arguments for test in task.tests if isinstance(test, CallTest)][:2]
    programs = [made_program(changed(task.source, rng), task.entry) for _ in range(6)]
    asked = [(program, call) for program in programs if program for call in calls]
    warm = [begun(program, call) for program, call in asked]
    for (program, call), remembered in zip(asked, warm, strict=True):
        for cache in (first_frame._begun, first_frame._given, first_frame._entrance, first_frame._module_variables):
            cache.cache_clear()
        assert begun(program, call) == remembered


def made_program(source: str, entry: str) -> Program | None:
    try:
        return decomposed(source, entry)
    except ExecutionError:
        return None


def begun(program: Program, arguments: str) -> object:
    try:
        return first_frame.first_frame(program, arguments)
    except ExecutionError as error:
        return str(error)


def test_a_layout_knows_functions_wherever_they_stand() -> None:
    source = re.sub(
        r"^\|",
        "",
        """|class C:
|    def m(self):
|        match self:
|            case 1:
|                def inner(): pass
|        try:
|            pass
|        except E:
|            def other(): global g
|if True:
|    async def late(): pass
""",
        flags=re.MULTILINE,
    )
    layout = LineMap.of(source)
    assert set(layout.functions) == {("m", 2), ("inner", 5), ("other", 9), ("late", 11)}
    assert layout.declared_global(("m", 2)) == {"g"}
    assert not layout.declared_global(("inner", 5))


def test_what_is_remembered_stays_bounded() -> None:
    recent = rewrite_cache._Recent[int](most_bytes=1_000)
    for number in range(100):
        recent.put(number, number, size=100)
        assert recent.get(0, size=100) == 0, "what is asked for stays"
    assert len(recent._young) + len(recent._old) <= 12


@pytest.mark.parametrize("kind", ["def h(x):\n        return x + n", "class h:\n        size = 1"])
def test_what_stands_above_a_statement_is_a_part_of_it(kind: str) -> None:
    """Two programs that differ in a decorator alone, one after the other in the same process."""
    shape = "def f(n):\n    @{}\n    {}\n    return h\n"
    for name in ("twice", "once", "twice"):
        program = made(shape.format(name, kind), "f", "operations")
        assert f"@{name}" in program.source  # type: ignore[attr-defined]
