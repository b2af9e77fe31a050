"""Random calls whose functions C code would call: keys, `map` and `filter`, with side effects in the functions.

Text only, like the expressions around it.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.random_programs.effectful_expressions import EffectfulExpressions


def function(say: "EffectfulExpressions", depth: int) -> str:
    """A function of one argument: a lambda or one of the program; rarely one with another number of arguments."""
    variable = say.pick(["k", "k", "x", "a"])
    body = say.with_scope([variable], lambda: say.integer(depth))
    forms = [f"lambda {variable}: {body}"] * 5
    forms += [
        f"lambda {variable}: ({body}, {variable})",
        f"lambda {variable}: {say.text(0)}",
        f"lambda {variable}: None",
    ]
    forms += ["inner", "inner", "bump", "grow", "tick", "len", "str", "abs", f"lambda {variable}, w: 1"]
    return say.pick(forms)


def listed(say: "EffectfulExpressions", depth: int) -> str:
    """An expression for a list, with callbacks."""
    key, source = function(say, depth), say.sequence(depth)
    if say.chance(0.3):
        source = f"map({function(say, depth)}, {source})"
    elif say.chance(0.2):
        source = f"(k for k in {source} if {say.truth(0)})"
    forms = [
        f"sorted({source}, key={key})",
        f"sorted({source}, key={key}, reverse={say.pick(['True', 'True', 'False', 'a'])})",
        f"list(map({key}, {source}))",
        f"list(filter({key}, {source}))",
        f"[x for x in map({key}, {source})]",
        f"sorted(set(map({key}, {source})))",
        f"[*tuple(filter({key}, {source}))]",
    ]
    return say.pick(forms)


def counted(say: "EffectfulExpressions", depth: int) -> str:
    """An expression for a number, with callbacks."""
    key, source = function(say, depth), say.sequence(depth)
    forms = [
        f"{say.pick(['max', 'min'])}({source}, key={key})",
        f"{say.pick(['max', 'min'])}((x for x in {source}), key={key})",
        f"max({say.integer(depth)}, {say.integer(depth)}, key={key})",
        f"sum(map({key}, {source}))",
        f"sum(filter({key}, map({function(say, depth)}, {source})), {say.integer(0)})",
        f"any(map({key}, {source}))",
        f"all(filter({key}, {source}))",
        f"len({say.text(0)}.join(map({say.pick(['str', 'lambda k: str(k)', key])}, {source})))",
    ]
    return say.pick(forms)


def sorting(say: "EffectfulExpressions", depth: int) -> str:
    """A statement that sorts a list in place, with a callback."""
    backwards = say.pick(["", "", ", reverse=True"])
    keys = [function(say, depth), "lambda k: -k", "lambda k: k % 3", "sign", "lambda k: len(xs)", "lambda k: str(k)"]
    return f"{say.pick(['xs', 'ys', 'zs', 'd'])}.sort(key={say.pick(keys)}{backwards})"


def looping(say: "EffectfulExpressions", depth: int) -> str:
    """The head of a loop with callbacks."""
    kind = say.pick(["map", "filter"])
    return f"for {say.pick(['c', 'b', 'd[0]', 'inner'])} in {kind}({function(say, depth)}, {say.sequence(depth)}):"
