"""Bugs of attributes: a missing owner or another one, a variable for an attribute, a link too few or too many."""

import ast

from cwm_agent.training.policy.bug_finder import BugFinder, Finders


def _attribute(finder: BugFinder, node: ast.AST) -> None:
    match node:
        case ast.Attribute(value=ast.Name(id="self"), attr=name) if finder.happens(0.5):
            finder.replace_node("owner-drop", node, name)
            if isinstance(node.ctx, ast.Load) and finder.names:
                constants = () if finder.is_owner(node) else ("0", "1")
                finder.replace_node("own-value", node, finder.rng.choice((*finder.names, *constants)))
        case ast.Attribute(value=ast.Attribute(value=ast.Name() as owner) as link):
            finder.replace_node("link", link, finder.text(owner))
    match node:
        case ast.Attribute(value=ast.Name(id=name) as owner) if name in finder.names:
            other = finder.other(finder.names, name)
            if other is not None and finder.happens(0.4):
                finder.replace_node("owner", owner, other)
            elif finder.attributes and finder.happens(0.1):
                finder.replace_node("link", owner, f"{name}.{finder.rng.choice(finder.attributes)}")


def _name(finder: BugFinder, node: ast.AST) -> None:
    match node:
        case ast.Name(id=name, ctx=ast.Load()) if "self" in finder.names and name in finder.names and name != "self":
            if finder.attributes and finder.happens(0.15):
                finder.replace_node("own-value", node, f"self.{finder.rng.choice((*finder.attributes, name))}")


def _alike(finder: BugFinder, node: ast.AST) -> None:
    """Another attribute of both objects: `self.y == other.y` for `self.x == other.x`."""
    match node:
        case (
            ast.Compare(left=ast.Attribute(attr=one) as left, comparators=[ast.Attribute(attr=same) as right])
            | ast.BinOp(left=ast.Attribute(attr=one) as left, right=ast.Attribute(attr=same) as right)
        ) if one == same:
            other = finder.other(finder.attributes, one)
            if other is not None:
                between = finder.lines.source[finder.lines.span(left)[1] : finder.lines.span(right)[0]]
                sides = [f"{finder.text(each.value)}.{other}" for each in (left, right)]
                finder.replace_node("attribute-together", node, between.join(sides))


def _call(finder: BugFinder, node: ast.AST) -> None:
    match node:
        case ast.Call(func=ast.Attribute() as function, args=[], keywords=[]):
            finder.replace_node("call-drop", node, finder.text(function))


FINDERS: Finders = {
    ast.Attribute: (_attribute,),
    ast.Name: (_name,),
    ast.Compare: (_alike,),
    ast.BinOp: (_alike,),
    ast.Call: (_call,),
}
