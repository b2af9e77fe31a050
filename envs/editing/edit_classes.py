"""The classes of likely edits by family: the values of `Edit.operator`.

`insert-copied-case` is in no family, so it keeps the small prior of classes without data.
"""

from __future__ import annotations

FAMILY_CLASSES: dict[str, tuple[str, ...]] = {
    "comparison": ("comparison-boundary", "comparison", "membership", "one-of", "none-test"),
    "arithmetic": ("arithmetic", "operand-swap", "sign", "regrouping"),
    "logic": ("connective", "grouping", "negation", "negated-part", "toggle"),
    "condition": (
        "condition-fixed", "condition-join", "condition-other", "variable-join", "filter-drop", "filter-add", "keyword",
    ),
    "constant": ("constant-step", "constant-neutral", "constant-other", "constant-flip", "display", "collection"),
    "name": (
        "variable", "variable-for-constant", "constant-for-variable", "target", "callee", "attribute", "length",
    ),
    "subscript": (
        "index", "index-swap", "slice", "slice-drop", "item-for-part", "part-for-item", "part", "part-by-variable",
        "index-wrap",
    ),
    "call": ("call-name", "method-name", "argument-swap", "argument-drop", "argument-add", "range", "keyword-name"),
    "wrapping": (
        "wrap", "wrap-own", "wrap-method", "unwrap", "unwrap-own", "unwrap-method", "argument-for-call",
        "copy-rows", "copy-value", "sorted-groups", "tie-break",
    ),
    "operand": (
        "operand-drop", "one-off", "with-variable", "operand-move", "choice-or-sum", "shift-digits", "use-parameter",
    ),
    "assignment": ("augment", "unaugment", "reset", "result", "initial-value", "accumulate", "setdefault"),
    "statement": (
        "statement-delete", "statement-delete-two", "branch-delete", "statement-swap", "statement-out", "statement-in",
    ),
    "insertion": (
        "insert-copy", "insert-else", "insert-break", "insert-return", "insert-guard", "insert-base-case",
        "insert-append", "insert-count", "insert-update", "insert-if", "insert-skip", "insert-mirror",
        "insert-record", "size-limit",
    ),
    "generator": ("yield", "mutable-default"),
    "class": (
        "attribute-same-name", "attribute-for-constant", "unused-attribute", "insert-own-result",
        "attribute-for-variable", "variable-for-attribute", "with-attribute", "owner",
        "attribute-together", "link", "call-method", "insert-stale", "insert-attribute", "insert-first-value",
        "super-call",
    ),
    "graft": ("graft", "graft-neighbour", "variable-together", "variable-swap", "other-item", "display-longer"),
}  # fmt: skip

FAMILY_OF: dict[str, str] = {name: family for family, names in FAMILY_CLASSES.items() for name in names}
