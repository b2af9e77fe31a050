"""Functions of a program as values: closures that share cells, functions and lambdas of the module, partials,
functions of operators by their signs.

A frame writes a closure as `add@12(#1)`, with its cells, and a function of the module by its name. `FUNCTIONS` are
those of the module. Each recipe is `(rng, *values drawn before) -> function or container of functions`.
"""

import operator
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from random import Random
from typing import Any

from cwm_agent.training.values import scalars, texts

Function = Callable[..., object]

_INNER = (
    "increment reset peek get set_ add inner wrapper call step push pop deposit withdraw balance counter next_value "
    "undo redo apply handler on_event notify read write total area scale power multiply accumulate log emit subscribe "
    "format_ check validate compare convert helper run double memo toggle current advance"
).split()
_CELLS = "count value total n items step start factor state history seen limit base function memo_ x y callback".split()
_MODULE = (
    "add sub mul div square cube double half negate triple inc dec identity power area is_even is_odd greet shout "
    "handle_add handle_remove handle_list on_start on_stop cmd_help cmd_quit to_upper to_lower reverse_text first last "
    "by_name by_age score cost key_of normalize clean tokenize scale twice compose_all"
).split()


def _module_functions() -> dict[str, Any]:
    names = [*_MODULE, *(f"_lambda_{number}" for number in range(1, 60))]
    source = "\n".join(f"def {name}(value): return value" for name in names)
    space: dict[str, Any] = {}
    exec(compile(source, "<line>", "exec"), space)  # noqa: S102
    return {name: space[name] for name in names}


FUNCTIONS: Mapping[str, Any] = _module_functions()


def _family_source(rng: Random) -> tuple[str, int]:
    """Two to four functions over the variables of the function around them, each over some."""
    cells = rng.sample(_CELLS, rng.randint(1, 3))
    lines = ["\n" * rng.randint(1, 40) + f"def family({', '.join(cells)}):"]
    names = rng.sample(_INNER, rng.randint(2, 4))
    for name in names:
        used = rng.sample(cells, rng.randint(1, len(cells)))
        given = rng.choice(("", "", "", "; 1", "; None"))
        parameters = f"argument={given[2:]}" if given else rng.choice(("", "argument"))
        lines += [f"    def {name}({parameters}):", f"        return {', '.join(used)}" + "\n" * rng.randint(0, 4)]
    return "\n".join([*lines, f"    return {', '.join(names)}"]), len(cells)


def _families() -> tuple[tuple[Function, int], ...]:
    rng, found = Random(13), []
    for _ in range(160):
        source, cells = _family_source(rng)
        space: dict[str, Any] = {}
        exec(compile(source, "<line>", "exec"), space)  # noqa: S102
        found.append((space["family"], cells))
    return tuple(found)


_FAMILIES = _families()


def _content(rng: Random) -> object:
    recipes: tuple[Callable[[Random], object], ...] = (
        *(scalars.small, scalars.small, scalars.integer, texts.word, scalars.boolean, scalars.nothing),
        *(lambda rng: [rng.randint(0, 9) for _ in range(rng.randint(0, 3))], module_function, scalars.tenths),
        lambda rng: (rng.randint(0, 9),),
    )
    return rng.choice(recipes)(rng)


def closure_family(rng: Random) -> tuple[object, ...]:
    """Functions that one call made, which share its variables."""
    family, cells = rng.choice(_FAMILIES)
    found: Any = family(*[_content(rng) for _ in range(cells)])
    return tuple(found)


def closure_pair(rng: Random) -> tuple[object, ...]:
    return closure_family(rng)[:2]


def closure_triple(rng: Random) -> tuple[object, ...]:
    found = closure_family(rng)
    return found[:3] if len(found) > 2 else (*found, module_function(rng))


def closure(rng: Random) -> object:
    return rng.choice(closure_family(rng))


def first_of(rng: Random, held: object) -> object:
    return held[0] if isinstance(held, tuple) and held else closure(rng)


def second_of(rng: Random, held: object) -> object:
    return held[1] if isinstance(held, tuple) and len(held) > 1 else closure(rng)


def last_of(rng: Random, held: object) -> object:
    return held[-1] if isinstance(held, tuple) and held else closure(rng)


def module_function(rng: Random) -> object:
    return FUNCTIONS[rng.choice(list(FUNCTIONS)[: rng.choice((len(_MODULE), len(FUNCTIONS)))])]


_OPERATORS = (operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.pow, max, min, pow)


def filled_partial(rng: Random) -> partial[object]:
    """A function of Python with its first number given."""
    return partial(rng.choice(_OPERATORS), rng.choice((rng.randint(1, 12), rng.randint(2, 5))))


def list_partial(rng: Random) -> partial[Any]:
    """A function that waits for a list of numbers."""
    return partial(rng.choice((sorted, sum, len, max, min, tuple, set, list)))


def operator_function(rng: Random) -> object:
    return rng.choice((*_OPERATORS, operator.truediv, operator.eq, operator.lt, operator.and_, operator.or_, divmod))


def callable_value(rng: Random) -> object:
    """A function of any kind: of Python, of the program, with a variable, with a number given."""
    recipes: tuple[Callable[[Random], object], ...] = (
        *(closure, closure, module_function, module_function, filled_partial, operator_function),
        lambda rng: rng.choice((str.upper, str.lower, str.strip, str.title, len, int, str, float, list, sorted, sum)),
    )
    return rng.choice(recipes)(rng)


def callable_list(rng: Random) -> list[object]:
    return [callable_value(rng) for _ in range(rng.randint(1, 4))]


def callable_tuple(rng: Random) -> tuple[object, ...]:
    return tuple(callable_list(rng))


def callable_deque(rng: Random) -> deque[object]:
    return deque(callable_list(rng))


def callable_table(rng: Random) -> dict[object, object]:
    """Functions by words, signs or numbers of a menu."""
    keys = rng.choice(
        (
            *(["+", "-", "*", "/"], ["1", "2", "3", "q"], ["add", "sub", "mul", "pow"], [1, 2, 3, 4]),
            ["double", "square", "dec", "half"],
            [texts.word(rng) for _ in range(4)],
        )
    )
    one_kind = rng.choice((callable_value, module_function, operator_function))
    return {key: one_kind(rng) for key in rng.sample(keys, rng.randint(1, len(keys)))}


def callable_pairs(rng: Random) -> list[object]:
    """Names with functions, as tests and commands are listed."""
    return [(texts.word(rng), callable_value(rng)) for _ in range(rng.randint(1, 3))]


def table_items(_: Random, held: object) -> object:
    return held.items() if isinstance(held, dict) else held


def callable_pair(rng: Random) -> tuple[object, ...]:
    return (texts.word(rng), callable_value(rng))


def callable_turns(rng: Random) -> Iterator[object]:
    """An iterator over functions, over names with functions, or over the items of a table of functions."""
    found = rng.choice((callable_list, callable_tuple, callable_pairs, closure_family, callable_table))(rng)
    return iter(found.items() if isinstance(found, dict) else found)


def partial_class(_: Random) -> type:
    return partial


def mapped_partial(rng: Random) -> object:
    """A partial that is about to be applied to some numbers."""
    return map(filled_partial(rng), [rng.randint(1, 9) for _ in range(rng.randint(1, 4))])


_SIGNS: dict[str, Callable[..., object]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": operator.pow, "<": operator.lt, ">": operator.gt, "==": operator.eq,
    "!=": operator.ne, "<=": operator.le, ">=": operator.ge, "&": operator.and_, "|": operator.or_,
}  # fmt: skip


def sign_table(rng: Random) -> dict[str, object]:
    """The functions of operators by their signs, mostly those of sums and products."""
    signs = list(_SIGNS)[:5] if rng.random() < 0.6 else list(_SIGNS)
    kept = set(rng.sample(signs, rng.randint(2, min(len(signs), 6))))
    found: dict[str, object] = {sign: _SIGNS[sign] for sign in signs if sign in kept}
    if rng.random() < 0.15:
        found |= {"max": max, "min": min}
    return found


def sign_of(rng: Random, held: object) -> str:
    """Mostly a sign of the table, else another."""
    signs = [sign for sign in held if isinstance(sign, str)] if isinstance(held, dict) else []
    return rng.choice(signs) if signs and rng.random() < 0.75 else rng.choice((*_SIGNS, "^", "", "x"))


def operator_sign(rng: Random) -> str:
    return rng.choice("+-*+-*/")
