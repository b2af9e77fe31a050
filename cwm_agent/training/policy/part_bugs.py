"""Bugs of items and slices: a slice that is missing, superfluous or at the other end, an item for a slice."""

import ast

from cwm_agent.training.policy.bug_finder import BugFinder, Finders

_PARTS = ("[1:]", "[:-1]", "[::-1]")


def _subscript(finder: BugFinder, node: ast.AST) -> None:
    if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Load):
        return
    whole = finder.text(node.value)
    if isinstance(node.slice, ast.Slice):
        finder.replace_node("slice-drop", node, whole)
        _other_end(finder, node, node.slice)
        match node.slice:
            case ast.Slice(lower=ast.expr() as bound, upper=None) | ast.Slice(lower=None, upper=ast.expr() as bound):
                finder.replace_node("item-for-slice", node, f"{whole}[{finder.text(bound)}]")
    elif isinstance(node.slice, ast.Name | ast.Constant | ast.BinOp) and finder.happens(0.5):
        index = finder.text(node.slice)
        finder.replace_node("slice-for-item", node, f"{whole}[{finder.rng.choice(('{}:', ':{}')).format(index)}]")
        if not isinstance(node.slice, ast.Constant):
            finder.replace_node("index-for-item", node, index)


def _other_end(finder: BugFinder, node: ast.Subscript, part: ast.Slice) -> None:
    """The part at the other end: `[:-1]` for `[1:]`, `[:n]` for `[-n:]`."""
    lower, upper = (finder.text(each) if each else "" for each in (part.lower, part.upper))
    bound = lower or upper
    if (lower and upper) or part.step or not bound.removeprefix("-").isalnum():
        return
    opposite = bound.removeprefix("-") if bound.startswith("-") else f"-{bound}"
    changed = f":{opposite}" if lower else f"{opposite}:"
    finder.replace_node("slice-end", node, f"{finder.text(node.value)}[{changed}]")


def _whole(finder: BugFinder, node: ast.AST) -> None:
    """A superfluous slice of a variable that is iterated over, returned or assigned."""
    value = node.iter if isinstance(node, ast.For | ast.comprehension) else node.value  # type: ignore[attr-defined]
    if isinstance(value, ast.Name) and finder.happens(0.4):
        finder.replace_node("slice-add", value, f"{value.id}{finder.rng.choice(_PARTS)}")


FINDERS: Finders = {
    ast.Subscript: (_subscript,),
    ast.For: (_whole,),
    ast.comprehension: (_whole,),
    ast.Return: (_whole,),
    ast.Assign: (_whole,),
}
