"""Decompose keeps behaviour exactly and leaves one operation a line."""

import ast
import warnings

import pytest
from markov_programs import SCOPES

from benchmarks.decompose import examine, generated
from benchmarks.program_checks.behaviour import BehaviourRecorder, observe
from benchmarks.program_checks.operation_counts import operations_by_line
from envs.editing.source_text import SourceText
from envs.execution.decompose.decomposition import Decomposed, DecomposeError, decompose
from envs.execution.decompose.program import module
from envs.execution.syntax.control_flow_graph import control_flows

PROGRAMS, CHUNK = 300, 30


def lines(source: str, entry: str = "f") -> list[str]:
    """The lines of the entry's body, without indentation."""
    decomposed = decompose(source, entry)
    found = decomposed.source.splitlines()
    start = next(i for i, line in enumerate(found) if line.startswith(f"def {entry}("))
    return [line.strip() for line in found[start + 1 :]]


def assert_same(source: str, *calls: str) -> Decomposed:
    """Both programs behave alike in every call."""
    decomposed = decompose(source, "f")
    for call in calls:
        before = observe(source, "f", call, BehaviourRecorder(10_000))
        after = observe(decomposed.source, "f", call, BehaviourRecorder(100_000))
        assert before is not None
        assert before == after, decomposed.source
    return decomposed


@pytest.mark.parametrize("first", range(0, PROGRAMS, CHUNK))
def test_generated_programs_behave_the_same_and_take_only_edges_of_the_graph(first: int) -> None:
    """Random programs with side effects in their operands: no difference, no step that is no edge."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        tally = examine(generated(CHUNK, first))
    assert tally.programs == CHUNK
    assert tally.different == []
    assert tally.missing_edges == []


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        pytest.param("return a + b * c", ["_1 = b * c", "_2 = a + _1", "return _2"], id="arithmetic"),
        pytest.param("a, b = b, a\nreturn a", ["a, b = b, a", "return a"], id="swap-is-one-line"),
        pytest.param("return -1", ["return -1"], id="negative-number-is-an-atom"),
        pytest.param("return [[1], [2]]", ["_1 = [[1], [2]]", "return _1"], id="constant-display-is-one-operation"),
        pytest.param("a[b] += c", ["_1 = a[b]", "_1 += c", "a[b] = _1"], id="augmented-item"),
        pytest.param(
            "return 1 < a <= c", ["_1 = 1 < a", "if _1:", "_1 = a <= c", "return _1"], id="chained-comparison"
        ),
        pytest.param("return a and b", ["_1 = a", "if _1:", "_1 = b", "return _1"], id="and"),
        pytest.param(
            "return a if b else c", ["if b:", "_1 = a", "else:", "_1 = c", "return _1"], id="conditional-expression"
        ),
        pytest.param(
            "while a < b: a += 1",
            ["while True:", "_1 = a < b", "if not _1:", "break", "a += 1"],
            id="while",
        ),
        pytest.param("while a: a -= 1", ["while a:", "a -= 1"], id="while-name"),
        pytest.param(
            "for x, y in a: b = x",
            ["_1 = iter(a)", "for _2 in _1:", "x, y = _2", "b = x"],
            id="for-unpacks-in-its-body",
        ),
        pytest.param(
            "return [x + 1 for x in a if x]",
            ["_1 = iter(a)", "_2 = []", "for _x in _1:", "if _x:", "_3 = _x + 1", "_2.append(_3)", "return _2"],
            id="comprehension",
        ),
        pytest.param(
            "return any(x for x in a)",
            ["_1 = iter(a)", "_2 = False", "for _x in _1:", "if _x:", "_2 = True", "break", "return _2"],
            id="any",
        ),
        pytest.param("assert a, b", ["if not a:", "_1 = AssertionError(b)", "raise _1"], id="assert"),
        pytest.param("return f'{a}-{b!r:>3}'", ["_1 = f'{a}-{b!r:>3}'", "return _1"], id="f-string-of-names"),
        pytest.param("return a.m(b)", ["_1 = a.m(b)", "return _1"], id="method-of-atoms"),
        pytest.param(
            "return a.m(b + 1)", ["_1 = a.m", "_2 = b + 1", "_3 = _1(_2)", "return _3"], id="method-is-looked-up-first"
        ),
        pytest.param(
            "x = []\nx.append(b + 1)", ["x = []", "_1 = b + 1", "x.append(_1)"], id="method-of-a-certain-list"
        ),
        pytest.param("with a(b) as (x, y): pass", ["_1 = a(b)", "with _1 as _2:", "x, y = _2", "pass"], id="with"),
        pytest.param(
            "try: a()\nexcept: raise",
            ["try:", "a()", "except BaseException as _e1:", "raise _e1"],
            id="bare-except-and-raise",
        ),
        pytest.param("raise a(b) from c", ["_1 = a(b)", "raise _1 from c"], id="raise-from"),
        pytest.param("x: int = a * b", ["x = a * b"], id="annotation"),
    ],
)
def test_each_construct_has_its_form(statement: str, expected: list[str]) -> None:
    """The lines that other parts of the project rely on."""
    body = "".join(f"    {line}\n" for line in statement.split("\n"))
    assert lines(f"def f(a, b, c):\n{body}    return a\n") == [*expected, "return a"]


@pytest.mark.parametrize(
    ("body", "origin"),
    [
        pytest.param("a.append(1)", 2, id="after-a-plain-line"),
        pytest.param("if a:\n  return 1", 2, id="after-a-branch"),
        pytest.param("for x in a:\n  if x: break\nelse:\n  return 1", 2, id="after-a-break"),
        pytest.param("while True:\n  if a: break", 2, id="after-an-endless-loop-that-breaks"),
        pytest.param("b = a\ntry:\n  a()\nexcept E:\n  pass", 3, id="after-a-handler"),
        pytest.param("return 1", None, id="not-after-a-return"),
        pytest.param("if a:\n  return 1\nelse:\n  raise a", None, id="not-where-both-branches-leave"),
        pytest.param("while True:\n  a()", None, id="not-after-an-endless-loop"),
        pytest.param("while a > 1:\n  pass\nelse:\n  return 1", None, id="not-after-an-else-that-leaves"),
        pytest.param("for x in a:\n  continue\nelse:\n  return 1", None, id="not-after-a-loop-that-never-breaks"),
    ],
)
def test_falling_off_the_end_is_a_line(body: str, origin: int | None) -> None:
    """`return None` stands at the end exactly where control can come there, and belongs to the last statement."""
    decomposed = decompose("def f(a):\n" + "".join(f"    {line}\n" for line in body.split("\n")), "f")
    falls = decomposed.source.splitlines()[-1] == "    return None"
    assert (decomposed.origin[-1] if falls else None) == origin


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(
            "n = 1\ndef g():\n    global n\n    n = 10\n    return 1\ndef f():\n    return n + g()",
            id="name-is-read-before-a-call-rebinds-it",
        ),
        pytest.param("def f(x=1):\n    return x.foo(1 // 0)", id="missing-method-before-failing-argument"),
        pytest.param("def f():\n    return u + 1 // 0\n    u = 1", id="unbound-name-before-failing-operand"),
        pytest.param("def f(n=1):\n    return n + (n := 5) + n", id="walrus-between-reads"),
        pytest.param("def f(x=[1]):\n    return [*x, x.append(2), *x]", id="star-is-spread-before-later-operands"),
        pytest.param(
            "def g(*a, **k): return a, k\ndef f(x=[1]):\n    return g(*x, k=x.append(2))",
            id="lone-star-is-spread-at-the-call",
        ),
        pytest.param("def f(x=[1]):\n    return f'{x}{x.append(2)}{x}'", id="f-string-formats-part-by-part"),
        pytest.param("def f(x=3):\n    y = [x for x in range(x)]\n    return x, y", id="comprehension-leaks-nothing"),
        pytest.param("def f():\n    return [g() for g in [(lambda: x) for x in (1, 2)]]", id="captured-variable"),
        pytest.param("def f(a=1):\n    i, a = 0, [5, 6]\n    i, a[i] = 1, i\n    return a", id="unpack-left-to-right"),
        pytest.param("def f():\n    return max(x for x in ())", id="max-of-nothing-raises"),
        pytest.param("def f():\n    it = iter([1, 2, 3])\n    return any(x > 1 for x in it), list(it)", id="any-stops"),
        pytest.param(
            "def f():\n    for i in (1, 2):\n        while i < 0: pass\n"
            "        else:\n            continue\n        return 0",
            id="while-else-that-continues-the-outer-loop",
        ),
        pytest.param(
            "def f():\n    try:\n        return 1\n    finally:\n        print('end')", id="return-through-finally"
        ),
        pytest.param(
            "def f():\n    try:\n        1 // 0\n    except ZeroDivisionError as e:\n        e = 3\n        raise",
            id="raise-again-after-the-name-was-rebound",
        ),
        pytest.param(
            "def g():\n    try:\n        yield 1\n        yield 2\n    finally:\n        print('closed')\n"
            "def f():\n    for x in g():\n        break\n    print('after')\n"
            "    return any(x for x in g()), print('end')",
            id="generator-is-closed-when-its-loop-ends",
        ),
        pytest.param(
            "class C:\n    def __del__(self): print('gone')\ndef f():\n    C().x = 1\n    print('still here')",
            id="objects-die-when-they-did",
        ),
        pytest.param("def f():\n    return dict((k, print(k)) for k in (1, [], 2))", id="dict-fails-in-the-middle"),
        pytest.param("def f(c=1):\n    a = c = b = c + 1\n    return a, b, c", id="chained-assignment"),
        pytest.param("def f():\n    return sum((x for x in [[1]]), [])", id="sum-of-lists"),
        pytest.param("def f():\n    return sum(x for x in [0.1] * 10)", id="sum-of-floats"),
        pytest.param(
            "def g(x):\n    print(x)\n    return x\n"
            "def f(start=0.1):\n    out = []\n"
            "    for xs in ([0.1] * 10, [1e100, 1.0, -1e100, 1], [1, 2.5, 2 ** 70, 0.1], [0.1, 0.2, 1j, 0.3], [-0.0], []):\n"
            "        out += [sum(g(x) for x in xs), sum((g(x) for x in xs), start), sum((x for x in xs), start)]\n"
            "    return out",
            id="sums-of-numbers",
        ),
        pytest.param(
            "def f():\n    return sum(print(x) or x for x in (1, 2.5, 'a', 3))", id="sum-that-fails-in-the-middle"
        ),
        pytest.param(
            "def f():\n    xs = [1, 'a', 2, 3]\n    try:\n        return sum(xs.pop() for _ in range(4))\n"
            "    except TypeError:\n        return xs",
            id="sum-that-fails-before-its-elements-are-used-up",
        ),
        pytest.param(
            "def f():\n    kept = []\n    def g(x):\n        kept.append(x)\n        return kept\n"
            "    return sum((g(x) for x in 'ab'), [])",
            id="sum-of-a-list-that-changes",
        ),
        pytest.param(
            "class C:\n    def __init__(self, x): self.x = x\n"
            "    def __radd__(self, o):\n        print(o)\n        return o + self.x\n"
            "def f():\n    return sum(C(x) for x in (0.1, 0.2, 0.3))",
            id="sum-of-objects-that-add-themselves",
        ),
        pytest.param(
            "def f(x=2):\n    def g(y=x * 2):\n        nonlocal x\n        x += y\n        return x\n"
            "    return x + g() + x",
            id="closure",
        ),
        pytest.param("def f():\n    yield 1\n", id="generator-function-is-left"),
        pytest.param("def f(a=1):\n    b = a + 1\n    return sorted(locals())", id="locals-are-untouched"),
        pytest.param(
            "def f():\n    return [i for i in __import__('itertools').islice((x for x in 'ab'), 1)]", id="lazy"
        ),
        pytest.param("_1 = 5\ndef f(_2=1):\n    return _1 * 2 + _2 * 3", id="temporaries-avoid-names-in-use"),
        pytest.param("iter = 3\ndef f():\n    return [x for x in 'ab']", id="rebound-iter"),
        pytest.param("def sum(x): return list(x)\ndef f():\n    return sum(x for x in 'ab')", id="rebound-sum"),
        pytest.param(
            "def f():\n    try:\n        return list(next(i) for i in [iter([])])\n"
            "    except RuntimeError:\n        return 'r'",
            id="stop-iteration-inside-a-generator",
        ),
    ],
)
def test_order_of_evaluation_and_scopes_are_pythons(source: str) -> None:
    """Small programs, each with one trap."""
    assert_same(source, "")


def test_the_independent_counter_sees_several_operations() -> None:
    """The checker is no rubber stamp: it counts what decompose takes apart."""
    counts = operations_by_line(
        "def f(a):\n    x = a[0] + 1\n    return x\n    a[x] = x * 2\n    b = [y + 1 for y in a]"
    )
    assert counts[2] == 2
    assert counts[3] == 0
    assert counts[4] == 2
    assert counts[5] > 1


def test_at_most_one_operation_stays_on_a_line() -> None:
    """Every line that decompose does not report as atomic holds at most one operation."""
    for case in generated(20, first=500):
        decomposed = decompose(case.source, "f")
        counts = operations_by_line(decomposed.source)
        inside = set(decomposed.live) - {line for line, _ in decomposed.atomic}
        crowded = {line: decomposed.source.splitlines()[line - 1] for line in inside if counts.get(line, 0) > 1}
        assert crowded == {}


def test_each_statement_has_a_line_of_its_own() -> None:
    """No statement spans lines and no line holds two."""
    for case in generated(10, first=600):
        tree = ast.parse(decompose(case.source, "f").source)
        simple = [
            n
            for n in ast.walk(tree)
            if isinstance(n, ast.stmt) and not hasattr(n, "body") and not isinstance(n, ast.Match)
        ]
        assert all(n.lineno == n.end_lineno for n in simple)
        assert len({n.lineno for n in simple}) == len(simple)


def test_origin_maps_every_line_to_the_original() -> None:
    """One number a line, each pointing at the statement it came from."""
    decomposed = decompose("def f(a):\n    b = a * 2 + 1\n\n    return b - a * 3\n", "f")
    assert decomposed.origin == (1, 2, 2, 4, 4, 4)
    assert len(decomposed.origin) == len(decomposed.source.splitlines())


def test_temporaries_live_until_their_last_use() -> None:
    """A temporary is live from its binding to its last reading, a loop's iterator through the whole loop."""
    decomposed = decompose("def f(a):\n    for x in a:\n        b = x * 2 + 1\n    return b\n", "f")
    shown = {line: set(names) for line, names in decomposed.live.items()}
    assert decomposed.source.splitlines()[1:] == [
        "    _1 = iter(a)",
        "    for x in _1:",
        "        _2 = x * 2",
        "        b = _2 + 1",
        "    return b",
    ]
    assert shown == {2: set(), 3: {"_1"}, 4: {"_1"}, 5: {"_1", "_2"}, 6: set()}


def test_what_a_handler_needs_stays_live_while_a_line_may_fail() -> None:
    """The exception edge keeps the old value: a line that raises has bound nothing."""
    source = (
        "def f(a):\n    for x in a:\n        try:\n            x = g(x)\n"
        "        except ValueError:\n            continue\n"
    )
    decomposed = decompose(source, "f")
    call = next(i for i, line in enumerate(decomposed.source.splitlines(), 1) if "g(x)" in line)
    assert "_1" in decomposed.live[call]


def test_what_stays_whole_is_reported_with_its_line_and_reason() -> None:
    """A generator that binds a name around it, and a walrus that nothing else gives a place, are the reader's to know."""
    decomposed = decompose(
        "def f(a):\n    y = 0\n    g = ((y := x) for x in a)\n    return [(c := (lambda: x)()) for x in a], c\n", "f"
    )
    texts = decomposed.source.splitlines()
    reported = {texts[line - 1].strip(): reason for line, reason in decomposed.atomic}
    assert reported == {
        "g = ((y := x) for x in a)": "generator expression kept whole",
        "_1 = [(c := (lambda: x)()) for x in a]": "comprehension kept whole",
    }


@pytest.mark.parametrize("name", SCOPES)
def test_a_comprehension_whose_scope_shows_is_a_function_of_its_own(name: str) -> None:
    """Nothing of it stays whole; that it does the same is told by the Markov tests over the same programs."""
    assert decompose(SCOPES[name][0], "f").atomic == ()


def test_a_generator_that_hides_a_name_of_its_loop_becomes_a_function() -> None:
    """Its `q` is the function's, not the comprehension's."""
    source = "def f(xs):\n    q = 1\n    return [q for q in (q + (lambda: x)() for x in xs)]"
    assert_same(source, "[1, 2]")
    decomposed = decompose(source, "f")
    assert not decomposed.atomic
    assert "yield" in decomposed.source


@pytest.mark.parametrize(
    ("source", "entry", "message"),
    [
        pytest.param("def f(:\n    pass", "f", "Line 1 is not valid Python", id="does-not-parse"),
        pytest.param("def f(): pass\nreturn 1", "f", "Line 2 is not valid Python", id="does-not-compile"),
        pytest.param("def found(): pass", "fund", "Did you mean 'found'", id="entry-near"),
        pytest.param("x = 1", "f", "Functions at module level: none", id="no-function"),
        pytest.param("def f(): pass\0", "f", "null bytes", id="null-byte"),
        pytest.param("def f(x):\n    return " + "-" * 900 + "x", "f", "Line 2 is nested", id="deep-minus"),
        pytest.param("def f(x):\n    return " + "+".join(["x"] * 50_000), "f", "nested this deeply", id="deep-sum"),
    ],
)
def test_bad_input_is_a_clear_error(source: str, entry: str, message: str) -> None:
    """What happened, where, and what to do."""
    with pytest.raises(DecomposeError, match=message):
        decompose(source, entry)


def test_warnings_about_a_program_are_not_shown() -> None:
    """Python 3.12 and later print one for each escape they do not know."""
    source = "def f(s):\n    return s is 'x', '\\d'"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert module(decompose(source, "f").source)["f"]
        assert control_flows(source + "\n")
        assert SourceText(source + "\n\n").nodes


def test_code_that_python_could_not_nest_is_left_whole() -> None:
    """A long `elif` chain would be indented too far, so its function stays as it is and says so."""
    chain = "".join(f"    elif x == {i}: return {i} + 1\n" for i in range(150))
    decomposed = assert_same(f"def f(x):\n    if x < 0: return -x * 2\n{chain}", "140", "-3", "200")
    assert all("nested too deeply" in reason for _, reason in decomposed.atomic)


def test_long_sums_and_long_programs_pass() -> None:
    """Length alone is no obstacle: 900 operands in one line, 2,000 lines in one function."""
    assert len(decompose("def f(x):\n    return " + "+".join(["x"] * 900), "f").origin) == 901
    body = "".join(f"    x = (x * {i} + 3) % 7\n" for i in range(2000))
    assert len(decompose(f"def f(x):\n{body}    return x\n", "f").origin) == 6002


def test_an_unknown_level_is_refused() -> None:
    """Levels are named, and the error names them."""
    with pytest.raises(DecomposeError, match="operations, characters"):
        decompose("def f(): pass", "f", level="words")  # type: ignore[arg-type]
