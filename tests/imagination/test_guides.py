"""Guides by name, and exact imagination under every guide is reality."""

import pytest
from library_programs import LIBRARY
from local_worlds import exact, small, traced
from markov_programs import PROGRAMS
from object_programs import OBJECTS

from cwm_agent.imagination.guides import Guide, parse_guide
from cwm_agent.imagination.rollout_loop import RolloutSettings, RolloutStart, imagine
from cwm_agent.oracles.protocol import MarkovView
from cwm_agent.verification.verifier import compare


@pytest.mark.parametrize(
    ("text", "guide"),
    [
        ("free", Guide("free")),
        ("cfg", Guide("cfg")),
        ("grounded", Guide("grounded")),
        ("forced", Guide("forced")),
        ("anchored:8", Guide("grounded", 8)),
        ("free+anchored:8", Guide("free", 8)),
        ("cfg+anchored:1", Guide("cfg", 1)),
    ],
)
def test_a_guide_is_read_from_its_name_and_tells_it_again(text: str, guide: Guide) -> None:
    assert parse_guide(text) == guide
    assert guide.name == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fre", "Did you mean 'free'?"),
        ("ground", "Did you mean 'grounded'?"),
        ("", "No guide named"),
        ("anchored", "Write anchored:K"),
        ("anchored:", "Write anchored:K"),
        ("anchored:x", "Write anchored:K"),
        ("anchored:²", "Write anchored:K"),
        ("anchored:-1", "Write anchored:K"),
        ("anchored:0", "at least 1"),
        ("anchoredly:3", "No guide named"),
        ("grounded+free", "No guide named"),
        ("nobody+free", "No guide named"),
        ("nobody+anchored:3", "No guide named"),
        ("free+anchored:3+cfg", "No guide named"),
    ],
)
def test_a_wrong_guide_is_told_what_to_write(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=r"\w") as refused:
        parse_guide(text)
    assert message in str(refused.value)


GUIDES = ["free", "cfg", "grounded", "forced", "anchored:3", "free+anchored:2"]
MORE: dict[str, tuple[str, str]] = {
    "a function that ends without a return": ("def f(xs):\n    xs.append(1)", "[]"),
    "a branch that ends without a return": ("def f(xs):\n    if xs:\n        xs.append(1)", "[]"),
    "an iterator that outlives its loop": (
        "def f(xs):\n    it = iter(xs)\n    for x in it:\n        pass\n    xs.append(3)\n    return list(it)",
        "[1, 2]",
    ),
    "a zip that takes one item too many": (
        "def f(a, b):\n    it = iter(a)\n    for x, y in zip(it, b):\n        pass\n    return list(it)",
        "[1, 2, 3, 4], [1, 2]",
    ),
    "a filter that ends": ("def f(xs):\n    out = []\n    for x in filter(None, xs):\n        out.append(x)\n    return out", "[0, 1]"),
    "a list that shrinks under reversed": (
        "def f(xs):\n    out = []\n    for x in reversed(xs):\n        out.append(x)\n        xs.clear()\n    return out",
        "[1, 2, 3]",
    ),
    "a defaultdict of a lambda": (
        "from collections import defaultdict\ndef f(xs):\n    d = defaultdict(lambda: [])\n    for x in xs:\n"
        "        d[x].append(1)\n    return dict(d)",
        "[1, 2, 1]",
    ),
    "objects that hold each other": (
        "class Node:\n    def __init__(self, v):\n        self.v = v\n        self.to = None\n"
        "def f(n):\n    a = Node(1)\n    b = Node(2)\n    a.to = b\n    b.to = a\n    return a.to.to.v",
        "1",
    ),
    "a name not bound in a branch": ("def f(n):\n    if n:\n        x = n\n    if x:\n        return 1", "0"),
    "a range beyond all length": ("def f(n):\n    r = range(n)\n    if r:\n        return 1\n    return 0", "10**30"),
    "a raise in a loop through finally": (
        "def f(xs):\n    out = []\n    for x in xs:\n        try:\n            try:\n                out.append(1 // x)\n"
        "            finally:\n                if x:\n                    out.append('f')\n        except ZeroDivisionError:\n"
        "            continue\n    return out",
        "[1, 0, 2]",
    ),
}  # fmt: skip


@pytest.mark.parametrize("text", ["free", "cfg", "forced"])
@pytest.mark.parametrize("name", ["library", "objects"])
def test_exact_imagination_of_objects_and_library_values_is_reality(name: str, text: str) -> None:
    """A line that enters a method or a generator goes where the rules lead, whatever the guide leaves open."""
    programs = LIBRARY if name == "library" else OBJECTS
    cases = [traced(*case) for case in programs.values()]
    starts = [RolloutStart(program, real.frames[0], real) for program, real in cases]
    rollouts = imagine(starts, exact(), RolloutSettings(guide=parse_guide(text), steps=3000))
    found = [compare(program, rollout, real) for (program, real), rollout in zip(cases, rollouts, strict=True)]
    assert [key for key, each in zip(programs, found, strict=True) if not each.complete] == []


@pytest.mark.parametrize("view", ["local", "program"])
@pytest.mark.parametrize("text", GUIDES)
def test_exact_imagination_is_reality_under_every_guide(text: str, view: MarkovView) -> None:
    cases = [small(name) for name in PROGRAMS] + [traced(*case) for case in MORE.values()]
    starts = [RolloutStart(program, real.frames[0], real) for program, real in cases]
    rollouts = imagine(starts, exact(), RolloutSettings(view=view, guide=parse_guide(text)))
    names = [*PROGRAMS, *MORE]
    compared = {
        name: compare(program, rollout, real)
        for name, (program, real), rollout in zip(names, cases, rollouts, strict=True)
    }
    assert {name: each for name, each in compared.items() if not each.complete} == {}
