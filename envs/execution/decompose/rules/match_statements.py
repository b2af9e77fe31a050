"""`match` as plain tests: literals, sequences, mappings, classes, alternatives, captures and guards, in Python's order.

A case is tried by nested `if`s; names are bound once the whole pattern has matched, before the guard is asked. Patterns
whose meaning is not plain from the text (a class that is not known, an object that may be its own kind of sequence)
keep their `match`, which is reported.
"""

import ast
from collections.abc import Sequence
from contextlib import ExitStack

from envs.execution.decompose.function_body import FunctionBody, text
from envs.execution.decompose.rules.boolean_operators import condition
from envs.execution.decompose.rules.expressions import atom, is_atom, is_number, keep
from envs.execution.decompose.rules.simple_statements import statement, suite
from envs.execution.syntax.bindings import bound_in
from envs.execution.syntax.name_scopes import ABSTRACT_CONTAINERS, ODD_SEQUENCES

_SEQUENCES = ("list", "tuple", "range")
_SELF_MATCHING = frozenset("bool bytearray bytes dict float frozenset int list set str tuple".split())
"""Builtin classes whose one positional pattern is the object itself."""
_Value = ast.MatchValue | ast.MatchSingleton
_NEEDED = ("isinstance", "len", "dict", "hasattr", *_SEQUENCES)


@statement(ast.Match)
def _match(body: FunctionBody, node: ast.Match) -> None:
    if all(_is_plain(body, case.pattern) for case in node.cases):
        subject = _held_subject(body, node)
        _cases(body, node.cases, subject)
    else:
        _as_it_is(body, node)


def _as_it_is(body: FunctionBody, node: ast.Match) -> None:
    subject = text(atom(body, node.subject))
    before = body.bound
    ends = [before]
    with body.writer.block(f"match {subject}:", "match pattern"):
        for case in node.cases:
            body.writer.origin, body.bound = case.pattern.lineno, before
            guard = f" if {text(case.guard)}" if case.guard else ""
            plain = isinstance(case.pattern, ast.MatchValue | ast.MatchSingleton | ast.MatchAs)
            reason = None if plain and (case.guard is None or is_atom(case.guard)) else "match pattern"
            with body.writer.block(f"case {text(case.pattern)}{guard}:", reason):
                body.bind(bound_in(case.pattern))
                suite(body, case.body)
            ends.append(body.bound)
    body.meet(*ends)


# -- which patterns can be written out


def _is_plain(body: FunctionBody, pattern: ast.pattern) -> bool:
    match pattern:
        case ast.MatchValue(value=value):
            return is_atom(value) or isinstance(value, ast.Attribute | ast.BinOp)
        case ast.MatchSingleton():
            return True
        case ast.MatchAs(pattern=inner):
            return inner is None or _is_plain(body, inner)
        case ast.MatchOr(patterns=parts):
            return all(_is_plain(body, part) for part in parts)
        case ast.MatchSequence(patterns=parts):
            items = [part for part in parts if not isinstance(part, ast.MatchStar)]
            return _usual_containers(body) and all(_is_plain(body, part) for part in items)
        case ast.MatchMapping(keys=keys, patterns=parts):
            usual = _usual_containers(body) and all(isinstance(key, ast.Constant) or is_number(key) for key in keys)
            return usual and all(_is_plain(body, part) for part in parts)
        case ast.MatchClass():
            return _is_plain_class(body, pattern)
        case _:
            return False


def _usual_containers(body: FunctionBody) -> bool:
    program = body.program
    if program.classes_known.derived or program.mentions & ODD_SEQUENCES:
        return False
    if "register" in program.mentions and program.mentions & ABSTRACT_CONTAINERS:
        return False
    if "deque" in program.mentions and not _has_deque(body):
        return False
    return all(program.builtin(name) for name in _NEEDED)


def _has_deque(body: FunctionBody) -> bool:
    """Whether `deque` surely means the class of the library, which is a sequence too."""
    settled = "deque" in body.program.imported & body.program.settled
    return settled and not ("deque" in body.scope.own or "deque" in body.scope.free)


def _is_plain_class(body: FunctionBody, pattern: ast.MatchClass) -> bool:
    if not isinstance(pattern.cls, ast.Name) or not body.program.builtin("isinstance"):
        return False
    parts = [*pattern.patterns, *pattern.kwd_patterns]
    name, program = pattern.cls.id, body.program
    if not all(_is_plain(body, part) for part in parts):
        return False
    if name in _SELF_MATCHING and program.builtin(name):
        return len(pattern.patterns) <= 1 and not pattern.kwd_patterns
    shadowed = name in body.scope.own or name in body.scope.free or name not in program.settled
    fields = program.classes_known.fields.get(name)
    if fields is None or shadowed or not program.builtin("hasattr"):
        return False
    asked = [*fields[: len(pattern.patterns)], *pattern.kwd_attrs]
    if program.classes_known.computed[name].intersection(asked):
        return False
    return len(pattern.patterns) <= len(fields) and len(set(asked)) == len(asked)


# -- cases


def _held_subject(body: FunctionBody, node: ast.Match) -> ast.Name:
    """A name that stays what it is while cases are tried."""
    subject = atom(body, node.subject)
    if not isinstance(subject, ast.Name):
        return keep(body, subject)
    if subject.id in body.names.given:
        return subject
    captured = {name for case in node.cases for name in bound_in(case.pattern)}
    guarded = any(case.guard for case in node.cases)
    sure = body.surely_bound(subject.id) and not body.volatile(subject.id)
    return subject if sure and not guarded and subject.id not in captured else keep(body, subject)


def _cases(body: FunctionBody, cases: Sequence[ast.match_case], subject: ast.expr) -> None:
    if not cases:
        return
    case, before = cases[0], body.bound
    body.writer.origin = case.pattern.lineno
    captures: dict[str, str] = {}
    if case.guard is None and _always(case.pattern):
        with ExitStack() as opened:
            _require(body, opened, case.pattern, subject, captures=captures)
        _bind(body, captures)
        suite(body, case.body)
        return
    with body.writer.block(f"if {_taken(body, case, subject, captures)}:"):
        body.bind(captures)
        suite(body, case.body)
    after, body.bound = body.bound, before
    with body.writer.optional("else:"):
        _cases(body, cases[1:], subject)
    body.meet(after, body.bound)


def _always(pattern: ast.pattern) -> bool:
    return isinstance(pattern, ast.MatchAs) and (pattern.pattern is None or _always(pattern.pattern))


def _taken(body: FunctionBody, case: ast.match_case, subject: ast.expr, captures: dict[str, str]) -> str:
    """A temporary that says whether the case is taken; its names are bound then."""
    if case.guard is None and (values := _values(body, case.pattern)):
        return _equal_to_one(body, values, subject)
    taken = body.temporary()
    body.writer.write(f"{taken} = False")
    with ExitStack() as opened, body.branch():
        _require(body, opened, case.pattern, subject, captures=captures)
        _bind(body, captures)
        if case.guard:
            opened.enter_context(body.writer.block(f"if {condition(body, case.guard)}:"))
        body.writer.write(f"{taken} = True")
    return taken


def _bind(body: FunctionBody, captures: dict[str, str]) -> None:
    for name, value in captures.items():
        if body.name(name) != value:
            body.writer.write(f"{body.name(name)} = {value}")
    body.bind(captures)


# -- patterns


def _require(
    body: FunctionBody, opened: ExitStack, pattern: ast.pattern, subject: ast.expr, captures: dict[str, str]
) -> None:
    """Writes the tests of a pattern; what is written next runs only where it matches."""
    match pattern:
        case _ if values := _values(body, pattern):
            _only_if(body, opened, _equal_to_one(body, values, subject))
        case ast.MatchAs(pattern=inner, name=name):
            if inner is not None:
                _require(body, opened, inner, subject, captures=captures)
            if name is not None:
                captures[name] = text(subject)
        case ast.MatchOr(patterns=parts):
            _one_of(body, opened, parts, subject, captures=captures)
        case ast.MatchSequence(patterns=parts):
            _sequence(body, opened, parts, subject, captures=captures)
        case ast.MatchMapping():
            _mapping(body, opened, pattern, subject, captures=captures)
        case ast.MatchClass():
            _class(body, opened, pattern, subject, captures=captures)


def _only_if(body: FunctionBody, opened: ExitStack, test: str) -> None:
    opened.enter_context(body.writer.block(f"if {test}:"))


def _kept(body: FunctionBody, expression: str) -> ast.Name:
    name = body.temporary()
    body.writer.write(f"{name} = {expression}")
    return ast.Name(name, ast.Load())


def _equal(body: FunctionBody, value: _Value, subject: ast.expr) -> str:
    return _kept(body, _comparison(body, value, subject)).id


def _comparison(body: FunctionBody, value: _Value, subject: ast.expr) -> str:
    if isinstance(value, ast.MatchSingleton):
        return f"{text(subject)} is {value.value!r}"
    return f"{text(subject)} == {text(atom(body, value.value))}"


def _one_of(
    body: FunctionBody, opened: ExitStack, parts: Sequence[ast.pattern], subject: ast.expr, captures: dict[str, str]
) -> None:
    """Alternatives in order; all of them bind the same names."""
    found = body.temporary()
    holders = {name: body.temporary() for name in bound_in(parts[0])}
    body.writer.write(f"{found} = False")
    for index, part in enumerate(parts):
        with ExitStack() as inside, body.branch():
            if index:
                inside.enter_context(body.writer.block(f"if not {found}:"))
            own: dict[str, str] = {}
            _require(body, inside, part, subject, captures=own)
            for name, holder in holders.items():
                body.writer.write(f"{holder} = {own[name]}")
            body.writer.write(f"{found} = True")
    _only_if(body, opened, found)
    captures |= holders


def _values(body: FunctionBody, pattern: ast.pattern) -> list[_Value]:
    """The values that a pattern compares with, where that is all it does."""
    match pattern:
        case ast.MatchValue() | ast.MatchSingleton():
            return [pattern]
        case ast.MatchOr(patterns=parts) if not body.program.custom_truth:  # each comparison's truth is asked once
            values = [part for part in parts if isinstance(part, ast.MatchValue | ast.MatchSingleton)]
            return values if len(values) == len(parts) else []
        case _:
            return []


def _equal_to_one(body: FunctionBody, values: Sequence[_Value], subject: ast.expr) -> str:
    found = _equal(body, values[0], subject)
    for value in values[1:]:
        with body.writer.block(f"if not {found}:"), body.branch():
            body.writer.write(f"{found} = {_comparison(body, value, subject)}")
    return found


def _sequence(
    body: FunctionBody, opened: ExitStack, parts: Sequence[ast.pattern], subject: ast.expr, captures: dict[str, str]
) -> None:
    name = text(subject)
    kinds = _kept(body, f"({', '.join((*_SEQUENCES, 'deque') if _has_deque(body) else _SEQUENCES)})")
    _only_if(body, opened, _kept(body, f"isinstance({name}, {kinds.id})").id)
    star = next((index for index, part in enumerate(parts) if isinstance(part, ast.MatchStar)), None)
    needed = len(parts) if star is None else len(parts) - 1
    size = _kept(body, f"len({name})").id if star is None or needed else ""
    if size:
        _only_if(body, opened, _kept(body, f"{size} {'==' if star is None else '>='} {needed}").id)
    items = [_item(body, name, size, index, star=star, count=len(parts), part=part) for index, part in enumerate(parts)]
    for part, item in zip(parts, items, strict=True):
        if isinstance(part, ast.MatchStar):
            captures |= {part.name: text(item)} if part.name else {}
        elif item is not None:
            _require(body, opened, part, item, captures=captures)


def _item(
    body: FunctionBody, name: str, size: str, index: int, star: int | None, count: int, part: ast.pattern
) -> ast.expr:
    """One item, or the rest as a list; nothing is read for a wildcard."""
    if isinstance(part, ast.MatchStar):
        return _rest(body, name, size, index, after=count - index - 1) if part.name else ast.Constant(None)
    if isinstance(part, ast.MatchAs) and part.pattern is None and part.name is None:
        return ast.Constant(None)
    return _kept(body, f"{name}[{index if star is None or index < star else index - count}]")


def _rest(body: FunctionBody, name: str, size: str, start: int, after: int) -> ast.expr:
    end = f"-{after}" if after else ""
    if _has_deque(body):  # which has no slices
        return _kept(body, f"{_kept(body, f'list({name})').id}[{start}:{end}]")
    return _kept(body, f"list({_kept(body, f'{name}[{start}:{end}]').id})")


def _mapping(
    body: FunctionBody, opened: ExitStack, pattern: ast.MatchMapping, subject: ast.expr, captures: dict[str, str]
) -> None:
    name, keys = text(subject), [text(key) for key in pattern.keys]
    _only_if(body, opened, _kept(body, f"isinstance({name}, dict)").id)
    if keys:
        size = _kept(body, f"len({name})").id
        _only_if(body, opened, _kept(body, f"{size} >= {len(keys)}").id)
    for key in keys:
        _only_if(body, opened, _kept(body, f"{key} in {name}").id)
    items = [_kept(body, f"{name}[{key}]") for key in keys]
    rest = _without(body, name, keys) if pattern.rest else ""
    for part, item in zip(pattern.patterns, items, strict=True):
        _require(body, opened, part, item, captures=captures)
    if pattern.rest:
        captures[pattern.rest] = rest


def _without(body: FunctionBody, name: str, keys: Sequence[str]) -> str:
    rest = _kept(body, f"dict({name})").id
    for key in keys:
        body.writer.write(f"del {rest}[{key}]")
    return rest


def _class(
    body: FunctionBody, opened: ExitStack, pattern: ast.MatchClass, subject: ast.expr, captures: dict[str, str]
) -> None:
    name, kind = text(subject), text(pattern.cls)
    _only_if(body, opened, _kept(body, f"isinstance({name}, {kind})").id)
    if kind in _SELF_MATCHING and body.program.builtin(kind):
        for part in pattern.patterns:
            _require(body, opened, part, subject, captures=captures)
        return
    fields = body.program.classes_known.fields[kind][: len(pattern.patterns)]
    asked = [*fields, *pattern.kwd_attrs]
    items = []
    for attribute in asked:
        _only_if(body, opened, _kept(body, f"hasattr({name}, {attribute!r})").id)
        items.append(_kept(body, f"{name}.{attribute}"))
    for part, item in zip([*pattern.patterns, *pattern.kwd_patterns], items, strict=True):
        _require(body, opened, part, item, captures=captures)
