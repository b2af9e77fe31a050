"""Steps through the program's own objects: which function a line enters, and what the line does with its value.

Brings together the calls (`own_calls.py`), the rules that need no call (`object_rules.py`) and the frame being built.
A line that waits for a constructor holds the object it makes in the row `@0` (`new #5`); one whose second operand is
asked after the first said NotImplemented holds `again 1` there.
"""

import ast

from envs.execution.decompose.program import Program
from envs.execution.state.effects import Effect
from envs.execution.state.value_grammar import Unsupported, label_of
from envs.execution.stepper.frame_builder import FrameBuilder
from envs.execution.stepper.frame_variables import FrameVariables, Raised
from envs.execution.stepper.live_dicts import check_reading, owner_of_fields
from envs.execution.stepper.name_lookup import Callee, NameLookup
from envs.execution.stepper.objects.field_rules import FieldRules
from envs.execution.stepper.objects.key_rules import unhashable_key
from envs.execution.stepper.objects.library_class_rules import LibraryClassRules
from envs.execution.stepper.objects.missing_operators import missing_operator
from envs.execution.stepper.objects.object_kinds import NEW, Attempt
from envs.execution.stepper.objects.object_rules import ObjectRules
from envs.execution.stepper.objects.own_calls import OwnCalls
from envs.execution.stepper.objects.text_scope import TextScope
from envs.execution.stepper.values.refused_operands import SIGNS, refusal
from envs.execution.stepper.values.value_rules import truth, truth_below
from envs.execution.stepper.values.value_types import type_name
from envs.execution.syntax.bindings import stored_names
from envs.execution.syntax.classes.library_classes import library_classes
from envs.execution.syntax.classes.private_names import classes_around
from envs.execution.syntax.line_map import Key
from envs.execution.syntax.program_structure import nodes_of_program
from envs.execution.text.value_writers import Waiting

_RESULT_TYPES = {"len": "int", "str": "str", "repr": "str", "format": "str", "hash": "int", "int": "int"}
CONTAINERS = ("[", "{", "set(", "frozenset(", "deque(", "Counter(", "defaultdict(", "OrderedDict(")


class ObjectSteps:
    """The object steps of one program."""

    def __init__(self, program: Program, names: NameLookup, variables: FrameVariables) -> None:
        self._names = names
        self._variables = variables
        self._calls = OwnCalls(names.classes)
        self._around = classes_around(program.source)
        self._fields = FieldRules(names.classes, variables)
        self.rules = ObjectRules(self._calls, variables, program.origin, program.layout)
        tree = program.layout.tree
        self._own = {each.name for each in nodes_of_program(tree) if isinstance(each, ast.ClassDef)}
        self._own |= {name for each in tree.body if isinstance(each, ast.Assign) for name in stored_names(each)}
        """What the program makes: a class `Match` of its own is not the library's."""
        self._library = LibraryClassRules(library_classes(program.layout.tree), variables)

    def check(self, effect: Effect) -> None:
        """Raise ImpossibleState where an effect holds a value that its class cannot have."""
        for text in (*[text for _, text in effect.bound], *[text for _, text in effect.contents], effect.raised or ""):
            self._library.check(text)

    def scope(self, builder: FrameBuilder) -> TextScope:
        return TextScope(builder, self._variables, self._names.classes, self._around)

    def attempts(self, builder: FrameBuilder, node: ast.AST) -> list[Attempt]:
        return self._calls.attempts(node, self.scope(builder))

    def apply(self, builder: FrameBuilder, node: ast.AST) -> bool:
        """Do what the line does, where rules know it without a call."""
        scope = self.scope(builder)
        message = missing_operator(self._calls, node, scope)
        if message is None and self._names.classes:
            message = unhashable_key(self._names.classes, node, scope, lambda part: self._variables.atom(builder, part))
        if message is not None:
            raise Raised(f"TypeError({message!r})")
        if self._is_refused(node, scope):
            self.refused(builder, node)
        if self._index(builder, node, scope) or self._fields.apply(builder, node, scope):
            return True
        if self._take_fields(builder, node, scope):
            return True
        return self.rules.apply(builder, node, scope) or self._library.apply(builder, node)

    def _index(self, builder: FrameBuilder, node: ast.AST, scope: TextScope) -> bool:
        """Make the iterator over an object that has `__getitem__` and no `__iter__`."""
        match node:
            case ast.Assign(
                targets=[ast.Name(id=target)], value=ast.Call(func=ast.Name(id="iter"), args=[ast.Name() as held])
            ) if scope.is_builtin("iter"):
                kind = scope.kind(held)
                if kind is None or kind.role != "instance" or self._names.classes[kind.owner].odd:
                    return False
                if self._names.classes.find(kind.owner, "__iter__") or self._names.classes[kind.owner].container:
                    return False
                label = max(builder.heap, default=0) + 1
                builder.heap[label] = f"iter({kind.text}, 0)"
                self._variables.bind(builder, target, f"#{label}")
                return True
        return False

    def _take_fields(self, builder: FrameBuilder, node: ast.AST, scope: TextScope) -> bool:
        """Make the dict of an object's fields, where the function only reads it at once (`vars(x)`, `x.__dict__`)."""
        owner = owner_of_fields(node)
        kind = None if owner is None else scope.kind(owner)
        if kind is None or kind.role != "instance" or not isinstance(node, ast.Assign) or not scope.is_builtin("vars"):
            return False
        mine, target = self._names.classes[kind.owner], node.targets[0]
        if mine.odd or mine.exception or not isinstance(target, ast.Name):
            return False
        function = self._names.layout.functions[self._variables.key(builder)]
        check_reading(node, function, self._names.temporaries)
        fields = scope.object_of(kind).fields
        label = max(builder.heap, default=0) + 1
        builder.heap[label] = f"{{{', '.join(f'{name!r}: {text}' for name, text in fields.items())}}}"
        self._variables.bind(builder, target.id, f"#{label}")
        return True

    def indexes(self, builder: FrameBuilder, node: ast.AST) -> int | None:
        """The label of a loop's iterator, where it asks an object of the program for one index after another."""
        if not (isinstance(node, ast.For) and isinstance(node.iter, ast.Name)):
            return None
        kind = self.scope(builder).kind(node.iter)
        if kind is None or kind.role != "turns":
            return None
        return label_of(self._variables.atom(builder, node.iter))

    def _is_refused(self, node: ast.AST, scope: TextScope) -> bool:
        """Whether an operator has no method on either side: the left one is an object, so no builtin knows it."""
        names: tuple[str, ...] = ()
        match getattr(node, "value", None) if isinstance(node, ast.Assign | ast.Expr) else None:
            case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()], comparators=[right]):
                sides, names = (left, right), ("__lt__", "__le__", "__gt__", "__ge__")
            case ast.BinOp(left=left, op=op) if not isinstance(op, ast.Mult):
                sides = (left, left)
            case _:
                return False
        kinds = [scope.kind(each) for each in sides]
        first = kinds[0]
        if first is None or first.role != "instance" or self._names.classes[first.owner].odd:
            return False
        own = [kind.owner for kind in kinds if kind is not None and kind.role == "instance"]
        if any(self._names.classes[owner].container for owner in own):
            return False
        return not any(self._names.classes.find(owner, name) for owner in own for name in names)

    def truth(self, builder: FrameBuilder, test: ast.expr) -> bool | None:
        """The truth of a test that is an object of the program, or `not` and one; None for any other."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            found = self.truth(builder, test.operand)
            return None if found is None else not found
        scope = self.scope(builder)
        if (kind := self.rules.filled(scope, test)) is not None:
            return truth_below(kind.text, builder.heap)
        return True if self.rules.is_instance(scope, test) else None

    def held(self, builder: FrameBuilder, node: ast.AST) -> Callee | None:
        """The function that a line calls through a field or a class attribute of an object."""
        value = getattr(node, "value", None) if isinstance(node, ast.Assign | ast.Expr) else None
        func = value.func if isinstance(value, ast.Call) else None
        if not (isinstance(value, ast.Call) and isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name)):
            return None
        scope = self.scope(builder)
        kind = scope.kind(func.value)
        if kind is None or kind.role not in ("instance", "class"):
            return None
        text = self.rules.attribute(builder, kind, scope.private(func.attr), scope, called=True)
        if text is None or scope.kind_of(text) is not None:
            return None
        return self._names.named(value, text)

    # -- into a function

    def callee(self, builder: FrameBuilder, node: ast.AST, attempts: list[Attempt], index: int) -> tuple[Callee, str]:
        """The function of an attempt with its arguments, and what the waiting line holds in its row `@0`."""
        attempt = attempts[index]
        call = attempt.call or ast.Call(ast.Name("f", ast.Load()), list(attempt.operands), [])
        if attempt.receiver != NEW:
            before = () if attempt.receiver is None else (attempt.receiver, *attempt.more)
            return Callee(attempt.key, call, before=before), f"again {index}" if index else ""
        made = self._made(builder, node)
        label = next(number for number in range(1, len(builder.heap) + 2) if number not in builder.heap)
        builder.heap[label] = made
        return Callee(attempt.key, call, before=(f"#{label}",)), f"new #{label}"

    def _made(self, builder: FrameBuilder, node: ast.AST) -> str:
        call = node.value  # type: ignore[attr-defined]
        kind = self.scope(builder).kind(call.func)
        assert kind is not None
        return self.rules.content(builder, self._names.classes[kind.owner], call)

    def operand(self, builder: FrameBuilder, node: ast.expr) -> str:
        """The text of an argument: an atom, or the slice between the brackets of an index."""
        if not isinstance(node, ast.Slice):
            return self._variables.atom(builder, node)
        parts = [
            self._variables.atom(builder, each) if each else "None" for each in (node.lower, node.upper, node.step)
        ]
        return f"slice({', '.join(parts)})"

    # -- out of a function

    def waited(self, builder: FrameBuilder, node: ast.AST, key: Key, mark: Waiting | None) -> tuple[list[Attempt], int]:
        """The attempts of a waiting line and which of them the function that returns was; -1 where it was none."""
        attempts = self.attempts(builder, node)
        index = int(str(mark.value)) if mark is not None and mark.kind == "again" else 0
        return attempts, index if index < len(attempts) and attempts[index].key == key else -1

    def refused(self, builder: FrameBuilder, node: ast.AST) -> str:
        """What a line is worth when every attempt returned NotImplemented; Raised where it is an error."""
        value = node if isinstance(node, ast.AugAssign) else node.value  # type: ignore[attr-defined]
        match value:
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                sides = [self._variables.atom(builder, each) for each in (left, right)]
                names = [self._type(builder, each) for each in (left, right)]
                if any((known := self._names.classes.known(each)) and known.container for each in names):
                    raise Unsupported("a comparison that the class leaves to the one that it derives from")
                if isinstance(op, ast.Eq | ast.NotEq):
                    return repr((sides[0] == sides[1]) == isinstance(op, ast.Eq))
                message = f"{SIGNS[type(op)]!r} not supported between instances of {names[0]!r} and {names[1]!r}"
            case ast.BinOp(left=left, op=op, right=right) | ast.AugAssign(target=left, op=op, value=right):
                names = [self._type(builder, each) for each in (left, right)]
                in_place = isinstance(value, ast.AugAssign)
                message = refusal(op, names, self._names.classes, in_place=in_place)
            case ast.Call(func=ast.Name(id="divmod" | "pow" as called), args=[left, right]):
                names = [self._type(builder, each) for each in (left, right)]
                sign = SIGNS[ast.Pow] if called == "pow" else "divmod()"
                message = f"unsupported operand type(s) for {sign}: {names[0]!r} and {names[1]!r}"
            case _:
                return "NotImplemented"
        raise Raised(f"TypeError({message!r})")

    def _type(self, builder: FrameBuilder, node: ast.expr) -> str:
        """The name of an operand's type as messages give it."""
        return type_name(self._variables.atom(builder, node), builder.heap, self._own)

    def _is_iterator(self, builder: FrameBuilder, value: str) -> bool:
        label = label_of(value)
        return label is not None and not builder.heap[label].startswith(CONTAINERS)

    def result(
        self, builder: FrameBuilder, node: ast.AST, attempt: Attempt, value: str, *, mark: Waiting | None
    ) -> str:
        """What the line makes of the value that its function returned."""
        if attempt.ending == "made":
            if value != "None":
                wrong = type_name(value, builder.heap)
                raise Raised(f"TypeError({f'__init__() should return None, not {wrong!r}'!r})")
            return str(mark.value) if mark is not None else "None"
        if attempt.ending in ("true", "false"):
            if label_of(value) is not None and self.rules.is_own(builder, value):
                raise Unsupported("the truth of an object that an operator returned")
            return repr(truth(value, builder.heap) == (attempt.ending == "true"))
        if _builtin_of(node) == "iter" and not self._is_iterator(builder, value):
            raise Unsupported(f"{attempt.key[0]} that returns no iterator")
        wanted = _RESULT_TYPES.get(_builtin_of(node))
        if wanted and type_name(value, builder.heap) not in (wanted, "bool"):
            raise Unsupported(f"{attempt.key[0]} that returns {value[:40]}")
        return value


def _builtin_of(node: ast.AST) -> str:
    match node:
        case ast.Assign(value=ast.Call(func=ast.Name(id=name))) | ast.Expr(value=ast.Call(func=ast.Name(id=name))):
            return name
        case _:
            return ""
