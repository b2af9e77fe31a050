"""Claims about edits: which ones are listed, that they keep the other text, and that each makes a new program."""

import ast
import os
import subprocess
import sys

import pytest

from envs.check import check_core
from envs.domains.repair_core import RepairCore
from envs.editing.edit_classes import FAMILY_OF
from envs.editing.fingerprint import fingerprint
from envs.editing.source_text import SourceText
from envs.edits import BadEdit, Edit, apply_patch, class_priors, edits
from envs.execution.decompose.decomposition import decompose
from tasks import RepairTask, load

PROGRAM = '''\
LIMIT = 10  # module constant


def helper(x):
    return x + 1


def total(xs, start=0):
    """Sum of what is below the limit.

    Kept:  as   it is.
    """
    best, result = 0, start   # two at once
    for i in range(len(xs)):
        if xs[i] < LIMIT and not xs[i] == 3:
            result += xs[i] * 2   # tail comment
        else:
            xs = xs[1:]
    # a comment of its own
    names = sorted(set(["a", "b"]), reverse=True)
    text = f"{result} of {len(names)}"
    return max(result, helper(best))
'''

REACHED = [
    pytest.param("x < y", "x <= y", id="comparison boundary"),
    pytest.param("x == y", "x != y", id="comparison"),
    pytest.param("x in zs", "x not in zs", id="membership"),
    pytest.param("x - y", "x + y", id="arithmetic"),
    pytest.param("x - y", "y - x", id="operands swapped"),
    pytest.param("x and y", "x or y", id="connective"),
    pytest.param("x and y and z", "x and (y or z)", id="grouping"),
    pytest.param("not x", "x", id="negation"),
    pytest.param("x + 5", "x + 6", id="constant one more"),
    pytest.param("x * 7 + 3", "x * 3 + 3", id="another constant of the program"),
    pytest.param("x + 'ab'", "x + ''", id="empty constant"),
    pytest.param("x + x", "x + y", id="variable"),
    pytest.param("x + 5", "x + y", id="variable for constant"),
    pytest.param("zs[x]", "zs[x + 1]", id="index"),
    pytest.param("zs[x:y]", "zs[x:y + 1]", id="slice bound"),
    pytest.param("zs[x:y]", "zs[x:]", id="slice bound dropped"),
    pytest.param("zs[x]", "zs[:x]", id="part for item"),
    pytest.param("zs[::-1]", "zs", id="slice dropped"),
    pytest.param("pow(x, y)", "pow(y, x)", id="arguments swapped"),
    pytest.param("max(x, y)", "max(x)", id="argument dropped"),
    pytest.param("max(zs)", "min(zs)", id="similar builtin"),
    pytest.param("str(x).lower()", "str(x).upper()", id="similar method"),
    pytest.param("sorted(zs)", "sorted(zs, reverse=True)", id="argument added"),
    pytest.param("len(sorted(zs))", "len(zs)", id="unwrap"),
    pytest.param("x - y", "abs(x - y)", id="wrap"),
    pytest.param("x * y", "y", id="operand dropped"),
    pytest.param("x", "x + 1", id="one more"),
    pytest.param("x", "x * y", id="times a variable"),
    pytest.param("x if y else z", "z if y else x", id="choice swapped"),
    pytest.param("[w for w in zs if w]", "[w for w in zs ]", id="filter dropped"),
    pytest.param("range(x)", "range(1, x + 1)", id="range"),
    pytest.param("abs(x) < y", "abs(x) < abs(y)", id="from the neighbour"),
    pytest.param("zs.count(x) * y - len(zs)", "len(zs) * y - len(zs)", id="graft"),
    pytest.param("['a', 'b']", "['a', 'b', 'c']", id="display one longer"),
    pytest.param("z if x else y", "z if x is not None else y", id="zero is not None"),
    pytest.param("z if not x else y", "z if x is None else y", id="None, not zero"),
    pytest.param("z if x is None else y", "z if not x else y", id="empty as None"),
    pytest.param("x > 1 and y != 2", "x > 1 or y == 2", id="the other way of both"),
    pytest.param("zs[:-1]", "zs[1:]", id="other end"),
    pytest.param("zs[-2:]", "zs[:2]", id="first for last"),
    pytest.param("[w for w in zs.split('-')]", "[w for w in zs.split('-') if w]", id="filter added"),
    pytest.param("list(zs)", "[row[:] for row in zs]", id="rows copied"),
    pytest.param("[[0] * x] * y", "[[0] * x for _ in range(y)]", id="rows of their own"),
    pytest.param("max(0, x) - y", "max(0, x - y)", id="operand moved in"),
    pytest.param("max(0, x - y)", "max(0, x) - y", id="operand moved out"),
    pytest.param("max(x, y)", "x + y", id="sum of both"),
    pytest.param("sorted(zs, key=lambda w: w[1])", "sorted(zs, key=lambda w: (w[1], w))", id="ties"),
    pytest.param("groupby(zs, key=len)", "groupby(sorted(zs, key=len), key=len)", id="groups of what is sorted"),
    pytest.param("x in '+-'", "x == '+'", id="one letter"),
    pytest.param("x == 'a' or y == 'b'", "x in ('a', 'b') or y == 'b'", id="one of two"),
    pytest.param("f(x, 1, z, zs) + y", "f(x, 1, z, zs) + f(y, 1, z, zs)", id="wrapped like another call"),
]


@pytest.mark.parametrize(("before", "after"), REACHED)
def test_an_expression_can_be_repaired(before, after):
    shape = "def f(x, y, z, zs):\n    return {}\n"
    assert_reached(shape.format(before), shape.format(after))


LOOP = "s = []\nfor w in xs:\n    if w:\n        n = w\n"
TWO = "n = [1]\ns = [2]\nfor w in range(3):\n    n.append(s[w])\n"
CARRY = "t = 0\nfor w in xs:\n    s = w + t\n{}    n += s % 10\nreturn n"
DICT = "d = {{}}\nfor w in xs:\n    {}\nreturn d"
STATEMENTS = [
    pytest.param("for w in xs:\n    n = w\nreturn n", "for w in xs:\n    n += w\nreturn n", id="augment"),
    pytest.param("s = 0\nfor w in xs:\n    s -= w\nreturn s", "s = 0\nfor w in xs:\n    s = 0\nreturn s", id="reset"),
    pytest.param("s = 1\ns = 2\nreturn s", "s = 1\nreturn s", id="delete"),
    pytest.param("s = n\nn = 0\nreturn s", "n = 0\ns = n\nreturn s", id="swap"),
    pytest.param("for w in xs:\n    n += w\n    return n", "for w in xs:\n    n += w\nreturn n", id="move out"),
    pytest.param(LOOP + "n += 1\nreturn n", LOOP + "    n += 1\nreturn n", id="move in"),
    pytest.param("if n:\n    n = 1\nreturn n", "while n:\n    n = 1\nreturn n", id="while for if"),
    pytest.param("if n > 1:\n    n = 0\nreturn n", "if True:\n    n = 0\nreturn n", id="condition fixed"),
    pytest.param("if n > 1:\n    n = 0\nreturn n", "if xs and n > 1:\n    n = 0\nreturn n", id="variable joined"),
    pytest.param(LOOP + "return s", LOOP + "    s.append(w)\nreturn s", id="append"),
    pytest.param(LOOP + "return n", LOOP + "        break\nreturn n", id="break"),
    pytest.param(LOOP + "return n", LOOP + "    else:\n        s = []\nreturn n", id="else"),
    pytest.param(LOOP + "return n", LOOP + "if s:\n    n = w\nreturn n", id="guard after a loop"),
    pytest.param("return n + f(n - 1, xs)", "if n == 0:\n    return 0\nreturn n + f(n - 1, xs)", id="base case"),
    pytest.param("n += 1", "n += 1\nreturn n", id="return"),
    pytest.param(TWO + "return s", TWO.replace("s[w]", "n[w + 1]") + "return s", id="other item"),
    pytest.param("t = 1\ns = n * n\nreturn s", "t = 1\ns = t * t\nreturn s", id="renamed together"),
    pytest.param(CARRY.format(""), CARRY.format("    t = s // 10\n"), id="update"),
    pytest.param("for w in xs:\n    n += w\nreturn n", "for w in xs:\n    if w:\n        n += w\nreturn n", id="if"),
    pytest.param(DICT.format("d[w] = n"), DICT.format("d[w] = d.get(w, 0) + n"), id="accumulate"),
    pytest.param(DICT.format("d[w] -= n"), DICT.format("d[w] = d.get(w, 0) - n"), id="missing item"),
    pytest.param(DICT.format("d[w] *= n + 1"), DICT.format("d[w] = d.get(w, 1) * (n + 1)"), id="missing factor"),
    pytest.param(DICT.format("d[w] = d[w] + n"), DICT.format("d[w] = d.get(w, 0) + n"), id="missing operand"),
    pytest.param(DICT.format("d[w] += 'a'"), DICT.format("d[w] = d.get(w, '') + 'a'"), id="missing text"),
    pytest.param(DICT.format("d[w].append(n)"), DICT.format("d.setdefault(w, []).append(n)"), id="missing list"),
    pytest.param(DICT.format("d[w] = [n]"), DICT.format("d.setdefault(w, []).append(n)"), id="collect"),
    pytest.param(DICT.format("d.setdefault(w, n)"), DICT.format("d[w] = n"), id="the last, not the first"),
    pytest.param("t = True\nwhile n:\n    t = False", "t = True\nwhile n:\n    t = not t", id="toggle"),
    pytest.param("s = 0\nfor w in xs:\n    s += int(w)", "s = 0\nfor w in xs:\n    s = s * 10 + int(w)", id="digits"),
    pytest.param(
        "t = 0\nfor w in xs:\n    if w > t:\n        s = w\nt = 1",
        "t = 0\nfor w in xs:\n    if w > t:\n        t = w\n        s = w\nt = 1",
        id="record",
    ),
    pytest.param("s = []\ns.append(xs)\nreturn s", "s = []\ns.append(xs.copy())\nreturn s", id="copy that is kept"),
    pytest.param(
        "s = []\nfor w in xs:\n    s.append(w)\nreturn s",
        "s = []\nfor w in xs:\n    if len(s) >= n:\n        s.pop(0)\n    s.append(w)\nreturn s",
        id="limit of a size",
    ),
    pytest.param("s = 0\nfor w in xs:\n    s += w", "s = 0\nfor w in xs:\n    s += w * n", id="unread factor"),
    pytest.param("s = 0\nt, u = xs\nreturn s", "s = 0\nt, u = xs\ns += u\nreturn s", id="unread part"),
    pytest.param(
        "s = None\nfor w in xs:\n    s = w\nn += 1",
        "s = None\nfor w in xs:\n    s = w\nif s is not None:\n    n += 1\nn += 1",
        id="a remainder that may be zero",
    ),
    pytest.param(
        DICT.format("d[w, n] = {n}"), DICT.format("d.setdefault((w, n), set()).add(n)"), id="collect in a set"
    ),
]


@pytest.mark.parametrize(("before", "after"), STATEMENTS)
def test_statements_can_be_repaired(before, after):
    assert_reached(_function(before), _function(after))


@pytest.mark.parametrize(
    "body", ["s = [1]\ns[n] = 2", "for i in range(n):\n    xs[i] = 2", "xs[n - 1] += 1", "xs[1:] = s"]
)
def test_items_of_lists_get_no_default(body):
    assert not [edit for edit in edits(_function(body)) if edit.operator in ("accumulate", "setdefault")]


def test_a_neutral_operand_is_not_kept_beside_a_variable():
    texts = {edit.after for edit in edits(_function("s = 1\nt = 0\nreturn s + t + n"))}
    assert "n" in texts
    assert not texts & {"1 * n", "0 + n", "0 * n"}


def _function(body):
    return "def f(n, xs):\n" + "".join(f"    {line}\n" for line in body.splitlines())


def assert_reached(source, repaired):
    results = {fingerprint(edit.apply(source)) for edit in edits(source)}
    assert fingerprint(repaired) in results


def test_every_edit_compiles_and_no_two_make_the_same_program():
    made = [fingerprint(edit.apply(PROGRAM)) for edit in edits(PROGRAM)]
    assert None not in made
    assert fingerprint(PROGRAM) not in made
    assert len(set(made)) == len(made) > 200


def test_an_edit_keeps_all_text_outside_its_place():
    for edit in edits(PROGRAM):
        after = edit.apply(PROGRAM)
        start = sum(len(line) for line in PROGRAM.splitlines(keepends=True)[: edit.line - 1]) + edit.column
        assert after[:start] == PROGRAM[:start]
        assert after[start + len(edit.after) :] == PROGRAM[start + len(edit.before) :]


def test_docstrings_annotations_and_headers_are_never_edited():
    source = 'def f(x: int = 1) -> int:\n    """Doc 1."""\n    y: int = 2\n    return x\n'
    for edit in edits(source):
        tree = ast.parse(edit.apply(source)).body[0]
        assert ast.unparse(tree.args.args[0]) == "x: int"
        assert ast.get_docstring(tree) == "Doc 1."


def test_an_edit_is_read_back_from_its_line():
    for edit in edits(PROGRAM):
        assert "\n" not in str(edit)
        assert Edit.read(str(edit)) == edit


def test_the_order_is_the_same_in_another_process_with_another_hash_seed():
    code = "import sys; from envs.edits import edits; [print(e) for e in edits(sys.stdin.read())]"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            input=PROGRAM,
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert outputs == {"".join(f"{edit}\n" for edit in edits(PROGRAM))}


def test_an_edit_adds_parentheses_only_where_python_needs_them():
    code = SourceText("def f(x, y):\n    return x * (y + 1)\n")
    texts = {edit.apply(code.source) for edit in edits(code.source)}
    assert "def f(x, y):\n    return (x + 1) * (y + 1)\n" in texts
    assert not any("((" in text for text in texts)


def test_a_patch_applies_its_edits_in_order():
    source = "def f(x, y):\n    return x < y and y < 9\n"
    patch = ["comparison-boundary 2:13: '<' -> '<='", "connective 2:18: 'and' -> 'or'"]
    assert apply_patch(source, patch) == "def f(x, y):\n    return x <= y or y < 9\n"


@pytest.mark.parametrize("text", ["", "nonsense", "comparison 1:2: < -> <=", "comparison 1:2: '<' -> f()"])
def test_a_text_that_is_no_edit_is_refused(text):
    with pytest.raises(BadEdit, match=r"is no edit|quoted"):
        Edit.read(text)


def test_an_edit_that_does_not_fit_names_the_text_at_its_place():
    with pytest.raises(BadEdit, match="the text at this place is 'return'"):
        Edit(2, 4, "rettrn", "x", operator="variable").apply("def f():\n    return 1\n")
    with pytest.raises(BadEdit, match="has only 1 lines"):
        Edit(9, 0, "", "x", operator="variable").apply("x = 1\n")


def test_a_program_that_does_not_parse_has_no_edits():
    with pytest.raises(BadEdit, match="does not parse"):
        edits("def f(:\n")


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("def f(x):\n    return x + 1", id="no newline at the end"),
        pytest.param("def f(x):\r\n    if x:\r\n        x += 1\r\n    return x\r\n", id="carriage returns"),
        pytest.param("def f(x):\n\tif x > 1:\n\t\tx = 2\n\treturn x\n", id="tabs"),
        pytest.param("def f(x): return x if x else 1; x = 2\n", id="all on one line"),
        pytest.param("def f(ä):\n    ö = 'ß' + ä; return ö * 2\n", id="letters beyond ASCII"),
        pytest.param("class A:\n    def g(self, y):\n        self.z = y\n        return self.z + y\n", id="methods"),
        pytest.param("async def f(x):\n    async for y in x:\n        await y(1)\n    return 0\n", id="asynchronous"),
        pytest.param("def f(x):\n    match x:\n        case 1 | 2:\n            return 0\n    return x\n", id="match"),
        pytest.param("def f(x):\n    return (x +\n            1)  # why\n", id="over two lines"),
        pytest.param("def f(x):\n    return f'{x!r:>{x + 1}} {x[\"a\"]}' 'b'\n", id="f-strings"),
        pytest.param("x = 1\n", id="no function"),
        pytest.param("", id="nothing"),
        pytest.param("x = 1\n\f\ndef f(x):\n    return x + 1\n", id="a form feed between functions"),
        pytest.param("s = 'a\u2028b'\ndef f(x):\n    return x < 1\n", id="a line separator in a string"),
    ],
)
def test_unusual_programs_have_edits_that_fit(source):
    for edit in edits(source):
        assert fingerprint(edit.apply(source)) is not None
        assert Edit.read(str(edit)) == edit


def test_every_class_has_a_family_and_a_prior():
    tasks = [task for task in load("repair").tasks if isinstance(task, RepairTask)]
    seen = {edit.operator for task in tasks[::3] for edit in edits(task.source)}
    assert seen <= set(FAMILY_OF)
    assert set(class_priors()) == set(FAMILY_OF)


def test_the_repair_core_of_shipped_tasks_conforms():
    tasks = [task for task in load("repair").tasks if isinstance(task, RepairTask)]
    for task in tasks[::20]:
        core = RepairCore.of_task(task)
        check_core(core, steps=2)


def test_two_orders_of_the_same_edits_are_one_state():
    core = RepairCore("def f(x, y):\n    return x < y\n\n\ndef g(x):\n    return x + 1\n", "f", ())
    one, two = Edit(2, 13, "<", "<=", operator="comparison-boundary"), Edit(6, 15, "1", "2", operator="constant-step")
    first = core.transition(core.transition(core.initial(), one), two)
    second = core.transition(core.transition(core.initial(), two), one)
    assert first == second
    assert first.patch != second.patch


def test_a_patch_may_be_limited():
    core = RepairCore("def f(x):\n    return x\n", "f", (), most_edits=1)
    state = core.transition(core.initial(), core.actions(core.initial())[0])
    assert core.actions(state) == ()


def test_no_two_edits_run_the_same_steps():
    """Edits with different compiled code also have different decomposed programs."""
    source = load("repair").named("overlap").source
    programs = [decompose(edit.apply(source), "intervals_overlap").source for edit in edits(source)]
    assert len(set(programs)) == len(programs)
