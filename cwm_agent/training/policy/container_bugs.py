"""Bugs of containers: an item that is overwritten, one value at several places, a container of another type."""

import ast

from cwm_agent.training.policy.bug_finder import BugFinder, Finders

_EMPTY = {"[]": ("{}", "set()"), "{}": ("[]", "set()"), "set()": ("[]", "{}")}
_CONVERSIONS = ("list", "dict", "set", "tuple", "deepcopy", "copy")
_LONGEST_DISPLAY = 8


def _accumulation(finder: BugFinder, node: ast.AST) -> None:
    """`d[k] = v` in place of `d[k] = d.get(k, 0) + v`, and the like."""
    match node:
        case ast.Assign(
            targets=[ast.Subscript(value=owner, slice=key) as item],
            value=ast.BinOp(left=ast.Call(func=ast.Attribute(value=held, attr="get"), args=[of, *_]), right=right),
        ) if (finder.text(owner), finder.text(key)) == (finder.text(held), finder.text(of)):
            start, end = finder.lines.span(node)
            place, value = finder.text(item), finder.text(right)
            shapes = (f"{place} = {value}", f"{place} += {value}", f"{place} = {place} + {value}")
            finder.replace_span("accumulate", start, end, finder.rng.choice(shapes))
        case ast.Assign(targets=[ast.Subscript(value=owner, slice=key)], value=value) if finder.happens(0.3):
            if not isinstance(key, ast.Slice | ast.Tuple):
                text = f"{finder.text(owner)}.setdefault({finder.text(key)}, {finder.text(value)})"
                finder.replace_node("setdefault", node, text)


def _collection(finder: BugFinder, node: ast.AST) -> None:
    """`d[k].append(v)` and `d[k] = v` in place of `d.setdefault(k, []).append(v)`."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=place), args=[value])):
            item, new = "", finder.text(value)
            match place:
                case ast.Call(func=ast.Attribute(value=owner, attr="setdefault"), args=[key, *_]):
                    item = f"{finder.text(owner)}[{finder.text(key)}]"
                    if finder.happens(0.5):
                        finder.replace_node("setdefault", place, item)
                        return
                case ast.Subscript():
                    item = finder.text(place)
            if item:
                finder.replace_node("setdefault", node, f"{item} = {finder.rng.choice((new, f'[{new}]'))}")


def _get(finder: BugFinder, node: ast.AST) -> None:
    """`d[k]` in place of `d.get(k, 0)`, or another default."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr="get"), args=[key, *rest], keywords=[]):
            if rest and finder.happens(0.4):
                finder.replace_node("get", rest[0], finder.rng.choice(("0", "1", "None", "[]", "''")))
            else:
                finder.replace_node("get", node, f"{finder.text(owner)}[{finder.text(key)}]")
        case ast.Call(func=ast.Name(id=name), args=[ast.Name(id=value)], keywords=[]) if name in _CONVERSIONS:
            finder.replace_node("copy-drop", node, value)
        case ast.Call(func=ast.Attribute(value=owner, attr="copy"), args=[], keywords=[]):
            finder.replace_node("copy-drop", node, finder.text(owner))
        case ast.Call(func=ast.Name(id="set"), args=[], keywords=[]):
            finder.replace_node("collection", node, finder.rng.choice(_EMPTY["set()"]))


def _rows(finder: BugFinder, node: ast.AST) -> None:
    """Rows that are one list: `[[0] * n] * m`, and a copy of a list that shares its rows."""
    match node:
        case ast.ListComp(
            elt=ast.List() | ast.ListComp() | ast.BinOp(left=ast.List()) | ast.Dict() | ast.Set() as row,
            generators=[ast.comprehension(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range")) as items)],
        ) if len(items.args) == 1 and not any(isinstance(each, ast.Name) and each.id == name for each in ast.walk(row)):
            finder.replace_node("rows", node, f"[{finder.text(row)}] * {finder.text(items.args[0])}")
        case ast.ListComp(elt=elt, generators=[ast.comprehension(target=ast.Name(id=name), iter=items, ifs=[])]):
            if finder.text(elt) in (f"{name}[:]", f"list({name})", f"{name}.copy()", f"dict({name})"):
                shapes = ("list({})", "{}[:]", "{}.copy()", "{}")
                finder.replace_node("rows", node, finder.rng.choice(shapes).format(finder.text(items)))


def _copied_part(finder: BugFinder, node: ast.AST) -> None:
    match node:
        case ast.Subscript(value=owner, slice=ast.Slice(lower=None, upper=None, step=None), ctx=ast.Load()):
            finder.replace_node("copy-drop", node, finder.text(owner))


def _display(finder: BugFinder, node: ast.AST) -> None:
    items: list[ast.expr] = getattr(node, "elts", [])
    text = finder.text(node)
    if text in _EMPTY:
        finder.replace_node("collection", node, finder.rng.choice(_EMPTY[text]))
    elif len(items) == 1 and isinstance(node, ast.List):
        finder.replace_node("collection", node, finder.text(items[0]))
    elif 3 <= len(items) <= _LONGEST_DISPLAY and all(isinstance(each, ast.Constant) for each in items):
        start, end = finder.lines.span(items[0])[0], finder.lines.span(items[-1])[1]
        texts = [finder.text(each) for each in items]
        if finder.happens(0.7):
            texts.pop(finder.rng.randrange(len(texts)))
        else:
            texts.append(finder.rng.choice((*finder.texts, "0", "1")))
        finder.replace_span("display", start, end, ", ".join(texts))


FINDERS: Finders = {
    ast.Assign: (_accumulation,),
    ast.Expr: (_collection,),
    ast.Call: (_get,),
    ast.ListComp: (_rows,),
    ast.Subscript: (_copied_part,),
    ast.List: (_display,),
    ast.Tuple: (_display,),
    ast.Set: (_display,),
    ast.Dict: (_display,),
}
