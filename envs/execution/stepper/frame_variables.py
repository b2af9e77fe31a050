"""The variables of a frame being built: what a name reads, and what binding or unbinding it changes.

Cells and module variables are included. Works over text and by rule; where Python would find a name unbound, `Raised`
carries the exception's text. Knows no control flow.
"""

import ast

from envs.execution.state.value_grammar import Unsupported
from envs.execution.stepper.frame_builder import FrameBuilder
from envs.execution.stepper.name_lookup import NameLookup
from envs.execution.stepper.values.value_rules import is_false_member, truth
from envs.execution.syntax.bindings import bound_in, module_names
from envs.execution.syntax.line_map import Key, LineMap
from envs.execution.syntax.program_structure import nodes_of_program


class Raised(Exception):
    """An exception of the program that a rule found, such as a name that is not bound; `text` is its value."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class FrameVariables:
    """Names of one program's functions, looked up in whatever builder is given."""

    def __init__(self, layout: LineMap, names: NameLookup) -> None:
        self._layout = layout
        self._names = names
        classes = [node for node in nodes_of_program(names.module) if isinstance(node, ast.ClassDef)]
        nodes = [node for node in nodes_of_program(names.module) if isinstance(node, ast.Attribute)]
        self._stored = {node.attr for node in nodes if isinstance(node.ctx, ast.Store)}
        self._bool_classes: set[str] = set()
        for node in classes:
            if _decides_truth(node) or not self._bool_classes.isdisjoint(map(ast.unparse, node.bases)):
                self._bool_classes.add(node.name)

    def truth(self, builder: FrameBuilder, test: ast.expr) -> bool:
        """Whether the test of a branch holds: an atom, or `not` and an atom."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return not self.truth(builder, test.operand)
        text = self.atom(builder, test)
        if "(" in text and (owner := text.partition("(")[0]) in self._bool_classes:
            raise Unsupported(f"whether a value of {owner!r} is true, which its class decides")
        known = self._member_truth(text)
        return truth(text, builder.heap) if known is None else known

    def _member_truth(self, text: str) -> bool | None:
        """Whether an enum member whose value is false is true: one of a plain `Enum` is, a number or flag is not."""
        owner = text.partition("(")[0]
        bases = self._names.bases.get(owner, ()) if is_false_member(text) else ()
        names = [base.rpartition(".")[2] for base in bases]
        if len(names) != 1 or owner in self._bool_classes:
            return None
        return {"Enum": True, "IntEnum": False, "Flag": False, "IntFlag": False, "StrEnum": False}.get(names[0])

    def atom(self, builder: FrameBuilder, expression: ast.expr) -> str:
        """The text of a name's value or of a constant."""
        if isinstance(expression, ast.Name):
            return self.read(builder, expression.id)
        try:
            return repr(ast.literal_eval(expression))
        except (ValueError, TypeError):  # TypeError: `{[1]: 2}`, which Python refuses too
            raise Unsupported(f"{ast.unparse(expression)!r} where a name or constant was expected") from None

    def read(self, builder: FrameBuilder, name: str) -> str:
        """A name's value as text; Raised where Python would find it unbound."""
        text = builder.locals.get(name)
        if text is not None:
            return self._opened(builder, text, name)
        known = self._names.outside(name, self.key(builder), builder.globals)
        if known.text is None:
            raise Raised(known.error)
        return known.text

    def _opened(self, builder: FrameBuilder, text: str, name: str) -> str:
        """The content of a cell in place of the cell."""
        if builder.cell(text) is None:
            return text
        content = builder.heap[int(text[1:])][len("cell(") : -1]
        if not content:
            raise Raised(self._names.unbound(name, self.key(builder)))
        return content

    def key(self, builder: FrameBuilder) -> Key:
        """The function that the builder stands in."""
        return self._layout.places[builder.line].function

    def first_parameter(self, builder: FrameBuilder) -> str | None:
        """The first parameter of the function that the builder stands in."""
        given = self._layout.functions[self.key(builder)].args
        return next((each.arg for each in [*given.posonlyargs, *given.args]), None)

    def cell(self, builder: FrameBuilder, name: str) -> str:
        """The reference to a variable's cell, which is made where there is none yet."""
        text = builder.locals.get(name, "")
        if builder.cell(text) is not None:
            return text
        label = max(builder.heap, default=0) + 1
        builder.heap[label] = f"cell({text})"
        builder.locals[name] = f"#{label}"
        return f"#{label}"

    def is_module_name(self, name: str) -> bool:
        """Whether the module's top level binds the name."""
        return name in self._names.module_names

    def is_function(self, text: str) -> bool:
        """Whether a value is a function of the program with lines of its own."""
        return self._names.is_function(text)

    def is_stored(self, name: str) -> bool:
        """Whether some line sets an attribute of that name."""
        return name in self._stored

    def is_imported(self, builder: FrameBuilder, module: str, name: str) -> bool:
        """Whether a name means what the program imports under that name from a module of the library."""
        if name in builder.locals or name in builder.globals:
            return False
        found = [
            (node.module, alias.name)
            for node in self._names.module.body
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
            if (alias.asname or alias.name) == name
        ]
        others = [node for node in self._names.module.body if not isinstance(node, ast.Import | ast.ImportFrom)]
        return found == [(module, name)] and name not in module_names(ast.Module(others, []))

    def bind(self, builder: FrameBuilder, name: str, text: str) -> None:
        """Give a name its value, wherever the function keeps it.

        `Class.name` is an attribute of a class, `@random` the position of a source.
        """
        present = builder.locals.get(name, "")
        if name[:1] == "@" or "." in name or self._names.is_global(name, self.key(builder)):
            builder.globals[name] = text
        elif (cell := builder.cell(present)) is not None:
            builder.heap[cell] = f"cell({text})"
        else:
            builder.locals[name] = text

    def unbind(self, builder: FrameBuilder, name: str) -> None:
        """Take a name's value away."""
        present = builder.locals.get(name, "")
        if "." in name or self._names.is_global(name, self.key(builder)):
            builder.globals.pop(name, None)
        elif (cell := builder.cell(present)) is not None:
            builder.heap[cell] = "cell()"
        else:
            builder.locals.pop(name, None)


def _decides_truth(node: ast.ClassDef) -> bool:
    """Whether a class says itself when its objects are true."""
    members = {name for part in node.body for name in bound_in(part)}
    return not members.isdisjoint({"__bool__", "__len__"})
