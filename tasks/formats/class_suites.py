"""Test classes as plain test functions: `unittest.TestCase` with its assert methods, and classes of pytest.

    def setUp(self): self.a = Account(5)             def test_withdraw():
    def test_withdraw(self):                  ->         self_a = Account(5)
        self.assertEqual(self.a.pay(3), 2)               assert self_a.pay(3) == 2

What a method keeps in `self` becomes a variable; class attributes and helper methods are put before the test. A method
that uses `self` in another way is left as it is, and the reader of the file reports it.
"""

import ast
import copy
from collections.abc import Iterator, Sequence

from tasks.reading.program_text import parse, parse_expression

SETUP = ("setUpClass", "setup_class", "setUp", "setup_method")
"""Methods that run before each test."""
AFTER = ("tearDown", "tearDownClass", "teardown_method", "teardown_class")
_COMPARED: dict[str, type[ast.cmpop]] = {
    "assertEqual": ast.Eq,
    "assertEquals": ast.Eq,
    "assertListEqual": ast.Eq,
    "assertTupleEqual": ast.Eq,
    "assertDictEqual": ast.Eq,
    "assertSetEqual": ast.Eq,
    "assertSequenceEqual": ast.Eq,
    "assertMultiLineEqual": ast.Eq,
    "assertNotEqual": ast.NotEq,
    "assertIs": ast.Is,
    "assertIsNot": ast.IsNot,
    "assertIn": ast.In,
    "assertNotIn": ast.NotIn,
    "assertGreater": ast.Gt,
    "assertGreaterEqual": ast.GtE,
    "assertLess": ast.Lt,
    "assertLessEqual": ast.LtE,
}
_WRITTEN = {
    "assertTrue": "A",
    "assertFalse": "not A",
    "assertIsNone": "A is None",
    "assertIsNotNone": "A is not None",
    "assertIsInstance": "isinstance(A, B)",
    "assertNotIsInstance": "not isinstance(A, B)",
    "assertCountEqual": "sorted(map(repr, A)) == sorted(map(repr, B))",
    "assertRegex": "__import__('re').search(B, A)",
    "assertNotRegex": "not __import__('re').search(B, A)",
    "assertNotAlmostEqual": "round(A - B, 7) != 0",
}
"""Assert methods as expressions over their first arguments."""
PLACES = 7
"""Decimal places of assertAlmostEqual."""


def is_test_class(statement: ast.stmt) -> bool:
    """Whether a statement is a class whose methods are tests."""
    if not isinstance(statement, ast.ClassDef):
        return False
    return statement.name.startswith("Test") or any("TestCase" in ast.unparse(base) for base in statement.bases)


def functions_of(suite: ast.ClassDef) -> Iterator[ast.FunctionDef]:
    """The test methods of a class as functions, each after what runs before it; they share the nodes of that."""
    methods = [part for part in suite.body if isinstance(part, ast.FunctionDef)]
    helpers = [part for part in methods if not part.name.startswith("test") and part.name not in (*SETUP, *AFTER)]
    ready = [part for name in SETUP for part in methods if part.name == name]
    selfless = _Selfless({*_attributes(suite), *(part.name for part in helpers)})
    lines = [line for part in ready for line in part.body]
    first = [*_class_attributes(suite.body), *map(_helper, helpers), *lines]
    shared = [_placed(selfless.visit(line)) for part in copy.deepcopy(first) for line in _rewritten(part)]
    for method in methods:
        if method.name.startswith("test"):
            own = [_placed(selfless.visit(line)) for part in method.body for line in _rewritten(part)]
            yield _function(method, [*shared, *own])


def _placed(statement: ast.stmt) -> ast.stmt:
    """The statement with lines at all nodes, those that were made too; Python writes no text without them."""
    return ast.fix_missing_locations(ast.copy_location(statement, ast.Pass(lineno=1, col_offset=0)))


def _function(method: ast.FunctionDef, body: list[ast.stmt]) -> ast.FunctionDef:
    found = copy.copy(method)
    found.args = copy.deepcopy(method.args)
    found.args.args = found.args.args[1:]
    found.body = body or [ast.Pass()]
    return found


def _helper(method: ast.FunctionDef) -> ast.FunctionDef:
    """A helper method as a function beside the test."""
    static = any(isinstance(mark, ast.Name) and mark.id == "staticmethod" for mark in method.decorator_list)
    found = copy.deepcopy(method)
    found.name, found.decorator_list = f"self_{method.name}", []
    found.args.args = found.args.args if static else found.args.args[1:]
    return found


def _class_attributes(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The assignments of a class body, as assignments to attributes of `self`."""
    for part in body:
        if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name):
            owner = ast.Name("self", ast.Load())
            yield ast.Assign([ast.Attribute(owner, part.targets[0].id, ast.Store())], part.value)


def _attributes(suite: ast.ClassDef) -> Iterator[str]:
    """The names that the class body and its methods bind in `self`."""
    for part in ast.walk(suite):
        match part:
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name, ctx=ast.Store()):
                yield name
    for part in suite.body:
        if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name):
            yield part.targets[0].id


class _Selfless(ast.NodeTransformer):
    """Replaces attributes of `self` and `cls` that are known by variables."""

    def __init__(self, names: set[str]) -> None:
        self._names = names

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """The variable for an attribute of `self`."""
        match node:
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name) if name in self._names:
                return ast.copy_location(ast.Name(f"self_{name}", node.ctx), node)
        visited = self.generic_visit(node)
        assert isinstance(visited, ast.expr)
        return visited


def _rewritten(statement: ast.stmt) -> list[ast.stmt]:
    """The statement with plain asserts for assert methods, at every depth, and without `with self.subTest()`."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name)) as call):
            return _asserted(name, call, statement)
        case ast.With(items=[ast.withitem(context_expr=ast.Call(func=ast.Attribute(attr="subTest")))], body=body):
            return [line for part in body for line in _rewritten(part)]
        case ast.With(items=[ast.withitem(context_expr=ast.Call(func=ast.Attribute(attr=name)) as call) as item]) if (
            name in ("assertRaises", "assertRaisesRegex")
        ):
            keywords = [ast.keyword("match", call.args[1])] if len(call.args) > 1 else []
            item.context_expr = ast.Call(ast.Name("raises", ast.Load()), call.args[:1], keywords)
    for field in ("body", "orelse", "finalbody"):
        inner = getattr(statement, field, None)
        if isinstance(inner, list) and inner and isinstance(inner[0], ast.stmt):
            setattr(statement, field, [line for part in inner for line in _rewritten(part)])
    return [statement]


def _asserted(name: str, call: ast.Call, statement: ast.stmt) -> list[ast.stmt]:
    """The plain statement for a call of an assert method; the call itself where it is none that is known."""
    first, second = (*call.args, None, None)[:2]
    made: ast.stmt = statement
    if name in _COMPARED and first is not None and second is not None:
        made = ast.Assert(ast.Compare(first, [_COMPARED[name]()], [second]), None)
    elif name == "assertAlmostEqual" and first is not None and second is not None:
        made = ast.Assert(_close(first, second, call), None)
    elif name in _WRITTEN and first is not None:
        made = ast.Assert(_Filled({"A": first, "B": second}).visit(parse_expression(_WRITTEN[name])), None)
    elif name == "assertRaises" and len(call.args) > 1 and second is not None:
        inner = ast.Expr(ast.Call(second, call.args[2:], call.keywords))
        context = ast.withitem(ast.Call(ast.Name("raises", ast.Load()), call.args[:1], []))
        made = ast.With([context], [inner])
    elif name == "fail":
        (made,) = parse("raise AssertionError('failed')").body
    return [ast.copy_location(made, statement)]


def _close(first: ast.expr, second: ast.expr, call: ast.Call) -> ast.expr:
    """The comparison of two numbers by `delta`, or by `places` after the point."""
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    delta = given.get("delta")
    if delta is None:
        places = given.get("places") or (call.args[2] if len(call.args) > 2 else ast.Constant(PLACES))
        count = places.value if isinstance(places, ast.Constant) and isinstance(places.value, int) else PLACES
        delta = ast.Constant(0.5 * 10**-count)
    return _Filled({"A": first, "B": second, "C": delta}).visit(parse_expression("abs(A - B) <= C"))  # type: ignore[no-any-return]


class _Filled(ast.NodeTransformer):
    """Puts expressions in the places of names."""

    def __init__(self, values: dict[str, ast.expr | None]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """The expression for a name."""
        return self._values.get(node.id) or node
