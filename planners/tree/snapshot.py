"""Stores a running search as JSON and loads it; a loaded search continues exactly as the uninterrupted one would.

The snapshot holds everything that decides the next steps: nodes, fans, leaves in flight, random state, costs so far.
It does not hold the model: the caller gives the loaded search the same model again.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from random import Random
from typing import Any, Generic, TypeVar

from planners.errors import BadSnapshot
from planners.limits import Limits, Meter, Spent
from planners.model import Model, Step
from planners.tree.mcts import MCTS
from planners.tree.scores import Gumbel, Range, Widening
from planners.tree.tree import Fan, Node
from planners.tree.tree_search import TreeSearch

S = TypeVar("S")
A = TypeVar("A")

VERSION = 2
PLAIN_FIELDS = (
    *("index", "prior", "reward", "estimate", "known", "end", "real", "waiting"),
    *("visits", "started", "total", "value"),
)


def plain_to_json(thing: Any) -> Any:
    """Return plain Python (numbers, strings, tuples, lists, dicts with string keys) as JSON data."""
    if thing is None or isinstance(thing, (bool, int, float, str)):
        return thing
    if isinstance(thing, tuple):
        return {"tuple": [plain_to_json(part) for part in thing]}
    if isinstance(thing, list):
        return [plain_to_json(part) for part in thing]
    if isinstance(thing, dict) and all(isinstance(key, str) for key in thing):
        return {"dict": {key: plain_to_json(part) for key, part in thing.items()}}
    raise BadSnapshot(
        f"{type(thing).__name__} cannot be stored as JSON: {thing!r:.100}. Pass a Codec that can encode it."
    )


def json_to_plain(data: Any) -> Any:
    """Return the plain Python value that `plain_to_json` encoded."""
    if isinstance(data, list):
        return [json_to_plain(part) for part in data]
    if isinstance(data, dict):
        if "tuple" in data:
            return tuple(json_to_plain(part) for part in data["tuple"])
        return {key: json_to_plain(part) for key, part in data["dict"].items()}
    return data


@dataclass(frozen=True, slots=True)
class Codec(Generic[S, A]):
    """Converts states and actions to JSON data and back; the default serves plain Python values."""

    encode_state: Callable[[S], Any] = plain_to_json
    decode_state: Callable[[Any], S] = json_to_plain
    encode_action: Callable[[A], Any] = plain_to_json
    decode_action: Callable[[Any], A] = json_to_plain


def dump_search(search: TreeSearch[S, A], codec: Codec[S, A] | None = None) -> str:
    """Return the whole search as one JSON text."""
    return json.dumps(_Writer(search, codec or Codec()).data(), allow_nan=False)


def load_search(text: str, model: Model[S, A], codec: Codec[S, A] | None = None) -> TreeSearch[S, A]:
    """Return the search that `dump_search` stored, ready to continue with the same model."""
    try:
        data = json.loads(text)
        if data["version"] != VERSION:
            raise BadSnapshot(f"This search was stored in version {data['version']!r}; this library reads {VERSION}.")
        return _read(data, model, codec or Codec())
    except (KeyError, TypeError, IndexError, json.JSONDecodeError) as error:
        raise BadSnapshot(
            f"This is no stored search ({type(error).__name__}: {error}); give the text of dump_search."
        ) from error


class _Writer(Generic[S, A]):
    """Numbers nodes, fans and action lists in the order of the walk."""

    def __init__(self, search: TreeSearch[S, A], codec: Codec[S, A]) -> None:
        self.search, self.codec = search, codec
        self.nodes = [node for _, node in search.tree.walk()]
        self.numbers = {id(node): number for number, node in enumerate(self.nodes)}
        self.fans: dict[int, int] = {}
        self.action_lists: dict[str, int] = {}

    def data(self) -> dict[str, Any]:
        search = self.search
        version, internal, gauss = search.rng.getstate()
        fans = [self._fan(fan) for fan in self._all_fans()]
        return {
            "version": VERSION,
            "config": asdict(search.config),
            "limits": asdict(search.limits),
            "spent": asdict(search.spent),
            "remaining": search.remaining,
            "tickets": search.tickets,
            "rng": [version, list(internal), gauss],
            "noise": search.noise,
            "range": None if search.tree.range.low == math.inf else [search.tree.range.low, search.tree.range.high],
            "fans": fans,
            "action_lists": [json.loads(actions) for actions in self.action_lists],
            "nodes": [self._node(node) for node in self.nodes],
            "in_flight": [[ticket, [self.numbers[id(n)] for n in path]] for ticket, path in search.in_flight.items()],
        }

    def _all_fans(self) -> list[Fan[S, A]]:
        fans = {id(node.fan): node.fan for node in self.nodes if node.fan is not None}
        self.fans = {key: number for number, key in enumerate(fans)}
        return list(fans.values())

    def _fan(self, fan: Fan[S, A]) -> dict[str, Any]:
        actions = json.dumps([self.codec.encode_action(action) for action in fan.actions], allow_nan=False)
        return {
            "actions": self.action_lists.setdefault(actions, len(self.action_lists)),
            "priors": None if fan.priors is None else list(fan.priors),
            "order": None if isinstance(fan.order, range) else list(fan.order),
            "opened": fan.opened,
            "value": fan.value,
            "children": [self.numbers[id(child)] for child in fan.children],
        }

    def _node(self, node: Node[S, A]) -> dict[str, Any]:
        row = {name: getattr(node, name) for name in PLAIN_FIELDS}
        row["state"] = None if node.waiting else self.codec.encode_state(node.state)
        row["notes"] = [list(note) for note in node.notes]
        row["prior_ahead"] = None if node.prior_ahead is None else list(node.prior_ahead)
        row["fan"] = None if node.fan is None else self.fans[id(node.fan)]
        row["q"] = None if node.waiting else node.q
        return row


def _read(data: dict[str, Any], model: Model[S, A], codec: Codec[S, A]) -> TreeSearch[S, A]:
    nodes: list[Node[S, A]] = [_read_node(row, codec) for row in data["nodes"]]
    action_lists = [tuple(codec.decode_action(a) for a in actions) for actions in data["action_lists"]]
    fans = [_read_fan(row, action_lists, nodes) for row in data["fans"]]
    for node, row in zip(nodes, data["nodes"], strict=True):
        node.fan = None if row["fan"] is None else fans[row["fan"]]
    rng = Random()
    rng.setstate((data["rng"][0], tuple(data["rng"][1]), data["rng"][2]))
    limits = Limits(**data["limits"])
    search = TreeSearch(_read_config(data["config"]), model, Step(nodes[0].state), limits, rng=rng)
    search.tree.root = nodes[0]
    search.tree.range = Range()
    for bound in data["range"] or ():
        search.tree.range.include(bound)
    search.meter = Meter(limits, Spent(**data["spent"]))
    search.remaining, search.tickets, search.noise = data["remaining"], data["tickets"], data["noise"]
    search.in_flight = {ticket: [nodes[number] for number in path] for ticket, path in data["in_flight"]}
    if search.config.transpositions:
        search.shared = {node.state: node.fan for node in nodes if node.fan is not None}
    return search


def _read_config(row: dict[str, Any]) -> MCTS:
    gumbel = None if row["gumbel"] is None else Gumbel(**row["gumbel"])
    widening = None if row["widening"] is None else Widening(**row["widening"])
    return MCTS(**{**row, "gumbel": gumbel, "widening": widening})


def _read_fan(row: dict[str, Any], action_lists: list[tuple[A, ...]], nodes: list[Node[S, A]]) -> Fan[S, A]:
    actions = action_lists[row["actions"]]
    order = range(len(actions)) if row["order"] is None else row["order"]
    fan: Fan[S, A] = Fan(
        actions, row["priors"], order, [nodes[number] for number in row["children"]], opened=row["opened"]
    )
    fan.value = row["value"]
    fan.look_ahead()
    for child in fan.children:
        child.action = actions[child.index]
    return fan


def _read_node(row: dict[str, Any], codec: Codec[S, A]) -> Node[S, A]:
    node: Node[S, A] = Node(None, **{name: row[name] for name in PLAIN_FIELDS})  # type: ignore[arg-type]
    if not node.waiting:
        node.state = codec.decode_state(row["state"])
    node.notes = tuple((name, text) for name, text in row["notes"])
    node.prior_ahead = None if row["prior_ahead"] is None else tuple(row["prior_ahead"])
    node.q = -math.inf if row["q"] is None else row["q"]
    node.share = node.prior / (1 + node.started)
    return node
